"""The autograd graph: what is on it, what was cut off, what it does not allow."""

from __future__ import annotations

from .model import Message

_W = "w = torch.ones(2, requires_grad=True)"

MESSAGES = (
    Message(
        name="no-grad-fn",
        category="RuntimeError",
        text="element 0 of tensors does not require grad and does not have a grad_fn",
        pattern="element .*? of tensors does not require grad and does not have a grad_fn",
        means="backward() was called on something that is not on the graph: somewhere between the parameters and here "
        "the graph was cut, or no parameter requires grad.",
        memory="What cuts it: detach(), .data, .item(), .numpy(), torch.tensor(x), no_grad, integer results such as "
        "argmax. Setting requires_grad on the loss hides the error and trains nothing.",
        setup=_W,
        provoke="loss = torch.tensor((w * 2).sum().item())\nloss.backward()",
        write="loss = (w * 2).sum()  # stay with tensors up to the loss\nloss.backward()",
        holds="w.grad.tolist() == [2.0, 2.0]",
        operations=("torch.Tensor.detach", "torch.Tensor.item", "torch.tensor(tensor)"),
    ),
    Message(
        name="backward-twice",
        category="RuntimeError",
        text="Trying to backward through the graph a second time (or directly access saved tensors after they have "
        "already been freed).",
        pattern="trying to backward through the graph a second time",
        means="Part of the graph belongs to two losses or to two steps. Usual reasons: a hidden state carried over "
        "from the last batch, or a running sum of losses that are still tensors on the graph.",
        memory="The first backward() freed what the graph had saved. Cutting with detach() between the steps frees "
        "the memory; retain_graph=True keeps it alive, more with every step.",
        setup=_W,
        provoke="loss = (w * w).sum()\nloss.backward()\nloss.backward()",
        write="state = w * w\nstate.sum().backward()\nstate = state.detach()  # carry the values over, not the graph\n"
        "(state * w).sum().backward()",
        holds="w.grad.tolist() == [3.0, 3.0]",
        operations=("torch.Tensor.detach",),
    ),
    Message(
        name="modified-in-place",
        category="RuntimeError",
        text="one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.FloatTensor [2]], which is output 0 of Exp, is at version 1; expected version 0 instead.",
        pattern="one of the variables needed for gradient computation has been modified by an in-?place operation",
        means="An operation saved this tensor for its gradient, and something wrote it afterwards: x += 1, relu_, a "
        "write into a slice, an optimizer step between forward and backward.",
        memory="All views share one version counter, so a write through any of them counts. Writes through .data, "
        ".numpy() and DLPack are not counted: they give wrong gradients instead of this error.",
        setup=_W,
        provoke="y = w.exp()\ny += 1\ny.sum().backward()",
        write="y = w.exp()\ny = y + 1  # a new tensor; what was saved stays as it is\ny.sum().backward()",
        holds="bool((w.grad == w.exp()).all())",
        also=(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[torch.cuda.HalfTensor [64, 1]], which is output 0 of AsStridedBackward0, is at version 2; expected "
            "version 1",
        ),
        operations=("torch.Tensor.clone",),
    ),
    Message(
        name="leaf-in-place",
        category="RuntimeError",
        text="a leaf Variable that requires grad is being used in an in-place operation.",
        pattern="(?<!view of )a leaf variable that requires grad is being used in an in-place operation",
        means="A parameter was written while autograd was recording. Its old value is gone, so no gradient could "
        "reach it.",
        memory="Under no_grad the write is allowed and goes into the parameter's own memory, which every view and "
        "every array made from it sees.",
        setup=_W,
        provoke="w += 1",
        write="with torch.no_grad():\n    w += 1  # an update, as optimizers do it\n"
        "y = w + 1  # or a new tensor on the graph",
        holds="w.is_leaf and w.tolist() == [2.0, 2.0] and y.requires_grad",
        operations=("torch.Tensor.add_",),
    ),
    Message(
        name="view-of-leaf-in-place",
        category="RuntimeError",
        text="a view of a leaf Variable that requires grad is being used in an in-place operation.",
        pattern="a view of a leaf variable that requires grad is being used in an in-place operation",
        means="A slice, row or reshaped view of a parameter was written while autograd was recording: w[0] = 1.",
        memory="The view shares the parameter's memory, so this is a write to the parameter.",
        setup=_W,
        provoke="w[0] = 5",
        write="with torch.no_grad():\n    w[0] = 5  # changes the parameter\n"
        "y = w.clone()  # or a copy on the graph,\ny[1] = 7  # which may be written",
        holds="w.tolist() == [5.0, 1.0] and y.tolist() == [5.0, 7.0] and y.requires_grad",
        operations=("torch.Tensor.clone",),
    ),
    Message(
        name="split-view-in-place",
        category="RuntimeError",
        text="Output 0 of UnbindBackward0 is a view and is being modified inplace. This view is the output of a "
        "function that returns multiple views.",
        pattern="output .*? of .*? is a view and is being modified inplace.*?returns multiple views",
        means="chunk, split, unbind (also iterating over a tensor) give several views at once; autograd cannot follow "
        "a write into one of them.",
        memory="The views share the memory of the tensor that was taken apart.",
        setup="x = torch.ones(4, requires_grad=True) * 1",
        provoke="first, second = x.chunk(2)\nfirst += 1",
        write="first, second = x.chunk(2)\nfirst = first + 1  # a new tensor\nx[:2] += 1  # or write through a slice",
        holds="x.tolist() == [2.0, 2.0, 1.0, 1.0]",
        operations=("torch.Tensor.chunk", "torch.Tensor.unbind"),
    ),
    Message(
        name="view-made-without-grad",
        category="RuntimeError",
        text="A view was created in no_grad mode and is being modified inplace with grad mode enabled.",
        pattern="a view was created in (no_grad|inference) mode and is being modified inplace with grad mode enabled",
        means="Whether the write should be recorded is ambiguous: the view was made outside the graph, the write is "
        "inside.",
        memory="The view shares the memory of a tensor that is on the graph.",
        setup="x = torch.ones(2, requires_grad=True) * 1",
        provoke="with torch.no_grad():\n    view = x[:1]\nview += 1",
        write="view = x[:1]  # both with recording on, or both under no_grad\nview += 1",
        holds="x.tolist() == [2.0, 1.0]",
        operations=("torch.Tensor.__getitem__",),
    ),
    Message(
        name="only-floating-grad",
        category="RuntimeError",
        text="Only Tensors of floating point and complex dtype can require gradients",
        pattern="only tensors of floating point( and complex)? dtype can require gradients",
        means="The tensor holds integers or booleans, often because the list had no decimal point: torch.tensor([1, "
        "2, 3]).",
        memory="Nothing was made.",
        provoke="torch.tensor([1, 2, 3], requires_grad=True)",
        write="x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
        "p = torch.nn.Parameter(torch.tensor([1, 2]), requires_grad=False)  # for integers that only travel along",
        holds="x.dtype is torch.float32 and not p.requires_grad",
        also=("only Tensors of floating point dtype can require gradients",),
        operations=("torch.Tensor.requires_grad_",),
    ),
    Message(
        name="deepcopy-of-non-leaf",
        category="RuntimeError",
        text="Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.",
        pattern=r"only tensors created explicitly by the user \(graph leaves\) support the deepcopy protocol",
        means="The tensor was computed, so a deep copy would have to copy its part of the graph. Often it hides in a "
        "module: a hidden state or a cached loss stored as an attribute.",
        memory="detach().clone() copies the values and cuts the graph; clone() copies the values and keeps the graph.",
        setup="import copy\ny = torch.ones(2, requires_grad=True) * 2",
        provoke="copy.deepcopy(y)",
        write="z = y.detach().clone()",
        holds="z.is_leaf and z.data_ptr() != y.data_ptr()",
        operations=("copy.deepcopy", "torch.Tensor.detach().clone()"),
    ),
    Message(
        name="deepcopy-of-subclass",
        category="RuntimeError",
        text="The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types "
        "that implement new_empty() and for which that function returns another instance of the same subclass.",
        pattern=r"the default implementation of __deepcopy__\(\) for non-wrapper subclasses only works",
        means="copy.deepcopy makes an empty tensor with new_empty() and fills it. The subclass lets torch's functions "
        "return plain tensors, so new_empty() gives no instance of it.",
        memory="Nothing was copied.",
        setup="import copy\nclass Label(torch.Tensor):\n"
        "    __torch_function__ = torch._C._disabled_torch_function_impl\ny = torch.ones(2).as_subclass(Label)",
        provoke="copy.deepcopy(y)",
        write="z = y.detach().clone().as_subclass(type(y))  # or define __deepcopy__ so",
        holds="type(z) is Label and z.data_ptr() != y.data_ptr()",
        operations=("copy.deepcopy", "torch.Tensor.as_subclass"),
    ),
    Message(
        name="requires-grad-of-non-leaf",
        category="RuntimeError",
        text="you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach().",
        pattern="you can only change requires_grad flags of leaf variables",
        means="Whether a computed tensor requires grad follows from what it was computed from.",
        memory="detach() gives a tensor over the same memory that is off the graph, and leaves this one as it is.",
        setup="y = torch.ones(2, requires_grad=True) * 2",
        provoke="y.requires_grad = False",
        write="z = y.detach()",
        holds="not z.requires_grad and y.requires_grad and z.data_ptr() == y.data_ptr()",
        operations=("torch.Tensor.detach", "torch.Tensor.requires_grad_"),
    ),
    Message(
        name="grad-of-non-leaf",
        category="UserWarning",
        text="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't "
        "be populated during autograd.backward().",
        pattern=r"the \.grad attribute of a tensor that is not a leaf tensor is being accessed",
        means="Only leaves keep their gradient. Often the tensor should have been a leaf, and .to(), .cuda() or "
        ".reshape() after requires_grad=True made a computed one of it.",
        memory="Gradients of computed tensors are freed as soon as they were passed on; retain_grad() keeps one.",
        setup="y = torch.ones(2, requires_grad=True) * 2",
        provoke="y.grad",
        write="y.retain_grad()  # keep this one\ny.sum().backward()\n"
        "x = torch.ones(2).to(torch.float64).requires_grad_()  # or move first, then make it a leaf",
        holds="y.grad.tolist() == [1.0, 1.0] and x.is_leaf",
        operations=("torch.Tensor.requires_grad_",),
    ),
    Message(
        name="unused-in-graph",
        category="RuntimeError",
        text="One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior.",
        pattern="(one of the differentiated tensors|the differentiated tensor at index .*?) appears to not have been "
        "used in the graph",
        means="No path of the graph leads from the result to this tensor: it was not used, or the way was cut, or a "
        "copy of it was used.",
        memory="tensorcopy.relation(x, result).graph tells the path, or where it was cut.",
        setup=_W,
        provoke="torch.autograd.grad((w.detach() * 2).sum() + (w * 0 + 1).detach().requires_grad_().sum(), w)",
        write="(g,) = torch.autograd.grad((w * 2).sum(), w)  # use the tensor itself",
        holds="g.tolist() == [2.0, 2.0]",
        also=(
            "The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True",
        ),
        operations=("torch.Tensor.detach", "torch.Tensor.clone"),
    ),
    Message(
        name="differentiated-needs-grad",
        category="RuntimeError",
        text="One of the differentiated Tensors does not require grad",
        pattern="one of the differentiated tensors does not require grad",
        means="A gradient is asked for with respect to a tensor that was not recorded.",
        memory="requires_grad_() marks the tensor itself, and only what is computed from then on is recorded.",
        setup="x = torch.ones(2)",
        provoke="torch.autograd.grad((x * torch.ones(2, requires_grad=True)).sum(), x)",
        write="x.requires_grad_()  # before the computation\n(g,) = torch.autograd.grad((x * 2).sum(), x)",
        holds="g.tolist() == [2.0, 2.0]",
        operations=("torch.Tensor.requires_grad_",),
    ),
    Message(
        name="scalar-outputs-only",
        category="RuntimeError",
        text="grad can be implicitly created only for scalar outputs",
        pattern="grad can be implicitly created only for scalar outputs",
        means="backward() without an argument needs one number to start from; this result has several.",
        memory="Nothing was freed; the graph is still there.",
        setup=_W,
        provoke="(w * 2).backward()",
        write="(w * 2).sum().backward()  # or .mean()",
        holds="w.grad.tolist() == [2.0, 2.0]",
    ),
    Message(
        name="inference-saved",
        category="RuntimeError",
        text="Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd.",
        pattern="inference tensors cannot be saved for backward",
        means="The tensor was made under torch.inference_mode, which records nothing for good.",
        memory="clone() outside of inference mode copies it into an ordinary tensor. no_grad makes ordinary ones at "
        "once.",
        setup=_W + "\nwith torch.inference_mode():\n    x = torch.ones(2)",
        provoke="x * w",
        write="y = x.clone() * w  # or make x under torch.no_grad()",
        holds="y.requires_grad",
        operations=("torch.inference_mode: torch.Tensor.clone",),
    ),
    Message(
        name="inference-in-place",
        category="RuntimeError",
        text="Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a "
        "normal tensor before doing inplace update.",
        pattern="inplace update to inference tensor outside inferencemode is not allowed",
        means="Tensors made under torch.inference_mode have no version counter, so a write could not be noticed.",
        memory="clone() outside of inference mode copies it into an ordinary tensor that may be written.",
        setup="with torch.inference_mode():\n    x = torch.ones(2)",
        provoke="x.add_(1)",
        write="y = x.clone()\ny.add_(1)",
        holds="y.tolist() == [2.0, 2.0]",
        operations=("torch.inference_mode: torch.Tensor.clone",),
    ),
    Message(
        name="detach-view-in-place",
        category="RuntimeError",
        text="Can't detach views in-place. Use detach() instead.",
        pattern="can't detach views in-place",
        means="detach_() would cut the graph of a view and leave that of its base. Also raised inside vmap by "
        "torch.tensor(x), and by zero_grad(set_to_none=False) under DistributedDataParallel.",
        memory="detach() gives a new tensor over the same memory, off the graph.",
        setup="x = torch.ones(2, requires_grad=True) * 1",
        provoke="x[:1].detach_()",
        write="y = x[:1].detach()",
        holds="y.data_ptr() == x.data_ptr() and not y.requires_grad",
        operations=("torch.Tensor.detach_", "torch.Tensor.detach"),
    ),
    Message(
        name="scalar-of-grad",
        category="UserWarning",
        text="Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior. Consider using "
        "tensor.detach() first.",
        pattern="converting a tensor with requires_grad=true to a scalar may lead to unexpected behavior",
        means="float(loss) or math.sqrt(loss) takes the number out of the graph, and the graph ends there.",
        memory="The number is copied, the graph is cut. Say so with item() or detach(); or stay with torch's "
        "functions.",
        setup="loss = torch.ones((), requires_grad=True)",
        provoke="float(loss)",
        write="number = loss.item()  # for printing\nroot = loss.sqrt()  # to go on computing",
        holds="number == 1.0 and root.requires_grad",
        since="torch 2.5",
        operations=("torch.Tensor.item", "torch.Tensor.detach"),
    ),
    Message(
        name="optimize-non-leaf",
        category="ValueError",
        text="can't optimize a non-leaf Tensor",
        pattern="can't optimize a non-leaf tensor",
        means="An optimizer writes its parameters in place, and this one was computed: by .to(), .cuda(), * or "
        "reshape after requires_grad=True.",
        memory="detach() and requires_grad_() make a leaf over the same memory; clone() in between gives it its own.",
        setup="x = torch.ones(2, requires_grad=True).to(torch.float64)",
        provoke="torch.optim.SGD([x], lr=0.1)",
        write="leaf = x.detach().clone().requires_grad_()\noptimizer = torch.optim.SGD([leaf], lr=0.1)",
        holds="leaf.is_leaf",
        operations=("torch.Tensor.detach().clone().requires_grad_()",),
    ),
    Message(
        name="out-of-grad",
        category="RuntimeError",
        text="add(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.",
        pattern=r"functions with out=\.\.\. arguments don't support automatic differentiation",
        means="Writing a result into an existing tensor is not recorded.",
        memory="out= saves an allocation by writing memory that others may see. Under no_grad it is allowed.",
        setup=_W + "\nout = torch.empty(2)",
        provoke="torch.add(w, 1, out=out)",
        write="with torch.no_grad():\n    torch.add(w, 1, out=out)\ny = torch.add(w, 1)  # on the graph",
        holds="out.tolist() == [2.0, 2.0] and y.requires_grad",
    ),
    Message(
        name="assign-parameter",
        category="TypeError",
        text="cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
        pattern=r"cannot assign .*? as (parameter|child module|buffer) .*? expected\)",
        means="A module's parameter was to be replaced by a plain tensor.",
        memory="copy_() under no_grad writes the values into the parameter's memory: optimizers, and everything that "
        "shares it, see them. A new Parameter has memory of its own, which the optimizer does not know.",
        setup="layer = torch.nn.Linear(1, 1)",
        provoke="layer.weight = torch.ones(1, 1)",
        write="with torch.no_grad():\n    layer.weight.copy_(torch.ones(1, 1))",
        holds="layer.weight.item() == 1.0",
        operations=("torch.Tensor.copy_",),
    ),
    Message(
        name="gradient-shape",
        category="RuntimeError",
        text="attempting to assign a gradient of size '[2]' to a tensor of size '[3]'.",
        pattern="attempting to assign a gradient (of size .*? to a tensor of size|with dtype .*? to a "
        "tensor)|assigned grad has data of a different (size|type)",
        means="A .grad has the shape, dtype and device of its tensor.",
        memory="x.grad = g shares g's memory, so later backward() calls add into g.",
        setup="x = torch.ones(3, requires_grad=True)\ng = torch.ones(3, dtype=torch.float64)",
        provoke="x.grad = torch.ones(2)",
        write="x.grad = g.to(x.dtype, copy=True)  # its own memory",
        holds="x.grad.dtype is x.dtype",
        operations=("torch.Tensor.to",),
    ),
    Message(
        name="send-non-leaf",
        category="RuntimeError",
        text="Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
        "crossing process boundaries.",
        pattern="cowardly refusing to serialize non-leaf tensor which requires_grad",
        means="A tensor on the graph was put into a queue, or came out of a DataLoader's worker.",
        memory="The tensor's memory is moved to shared memory, and NumPy arrays over it lose it. detach() cuts the "
        "graph; clone() leaves the arrays alone.",
        setup="import torch.multiprocessing.reductions as reductions\nx = torch.ones(2, requires_grad=True) * 2",
        provoke="reductions.reduce_tensor(x)",
        write="sent = reductions.reduce_tensor(x.detach().clone())",
        holds="sent is not None",
        operations=("torch.Tensor.detach().clone()",),
    ),
)
