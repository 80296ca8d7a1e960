"""What torch and Python offer beyond plain calls works the same under a recording, and nothing is missing from it."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from pathlib import Path

import pytest
import torch

from tests.tracing.programs import scope, traced

NET = """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x, y = torch.rand(6, 4), torch.rand(6, 1)
"""
STEPS = """
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""
PROGRAMS = {
    "autocast": NET
    + """
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = (net(x).float() - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
""",
    "scaler": NET
    + """
optimizer, scaler = torch.optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler("cpu")
for _ in range(3):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(loss.item())
""",
    "checkpoint": NET
    + """
from torch.utils.checkpoint import checkpoint
for reentrant in (False, True):
    inputs = x.clone().requires_grad_()
    checkpoint(net, inputs, use_reentrant=reentrant).sum().backward()
    print(inputs.grad.sum().item())
""",
    "lbfgs": NET
    + """
optimizer = torch.optim.LBFGS(net.parameters(), max_iter=5)
def closure():
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    return loss
for _ in range(3):
    print(optimizer.step(closure).item())
""",
    "several optimizers": NET
    + """
optimizers = [torch.optim.Adam(net[0].parameters()), torch.optim.SGD(net[2].parameters(), lr=0.1, momentum=0.9)]
for _ in range(3):
    loss = (net(x) - y).pow(2).mean()
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
    print(loss.item())
""",
    "func": """
f = lambda w: (w.sin() * w).sum()
w = torch.arange(3.0)
print(torch.func.grad(f)(w).tolist(), torch.func.hessian(f)(w).tolist())
print(torch.func.jvp(f, (w,), (torch.ones(3),))[1].item(), torch.func.jacrev(torch.sin)(w).tolist())
print(torch.func.jacfwd(torch.sin)(w).tolist(), torch.func.vjp(f, w)[1](torch.tensor(1.0))[0].tolist())
print(torch.vmap(torch.func.grad(f))(torch.ones(2, 3)).tolist())
""",
    "functional call": NET
    + """
from torch.func import functional_call, grad, vmap
parameters = dict(net.named_parameters())
loss = lambda p, a, b: (functional_call(net, p, (a,)) - b).pow(2).mean()
gradients = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, y)
print({name: gradient.sum().item() for name, gradient in gradients.items()})
""",
    "buffers": """
class Mean(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(3)) if hasattr(nn, "Buffer") else nn.parameter.Parameter(torch.zeros(3))
        self.register_buffer("count", torch.zeros(()))
    def forward(self, x):
        with torch.no_grad():
            self.mean += x.mean(0)
            self.count += 1
        return x - self.mean / self.count
module = Mean()
print([module(torch.ones(2, 3)).sum().item() for _ in range(3)])
""",
    "inference mode": "with torch.inference_mode():\n    print((torch.ones(2).clone() + 1).sum().item())\n",
    "subclass": """
class Named(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})
x = torch.ones(3).as_subclass(Named)
print(type(x + 1).__name__, x.clone().sum().item(), type(x.clone()).__name__)
""",
    "wrapper subclass": """
from torch.utils._pytree import tree_map
class Two(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
    def __init__(self, inner):
        self.inner = inner
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        bare = lambda t: t.inner if isinstance(t, Two) else t
        result = func(*tree_map(bare, args), **tree_map(bare, kwargs or {}))
        return tree_map(lambda t: Two(t) if isinstance(t, torch.Tensor) else t, result)
t = Two(torch.ones(3))
print(type(t.clone() * 2).__name__, (t + t).inner.tolist(), t.add_(1).inner.tolist())
""",
    "sparse": "x = torch.eye(3).to_sparse()\nprint((x @ torch.ones(3, 3)).sum().item(), x.coalesce().clone())\n",
    "complex": """
x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = x.conj()
(y * x).real.sum().backward()
print(x.grad.tolist(), y.clone().resolve_conj().tolist(), torch._neg_view(torch.ones(2)).clone().tolist())
""",
    "meta and fake": """
from torch._subclasses import FakeTensorMode
print(torch.ones(3, device="meta").clone().shape)
with FakeTensorMode():
    fake = torch.ones(4)
    print(fake.clone().add_(1).reshape(2, 2).shape)
""",
    "fx": """
from torch.fx.experimental.proxy_tensor import make_fx
print(make_fx(lambda x: x.clone().sin().sum())(torch.ones(2)).code.strip())
""",
    "double backward": """
x = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
g.sum().backward()
print(x.grad.tolist(), torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.double, requires_grad=True)))
""",
    "hooks": NET
    + """
seen = []
net[0].register_forward_hook(lambda module, inputs, output: seen.append("forward"))
net[0].register_full_backward_hook(lambda module, given, taken: seen.append("backward"))
net[0].weight.register_hook(lambda gradient: gradient * 2)
net[0].weight.register_post_accumulate_grad_hook(lambda parameter: seen.append("accumulated"))
net(x).sum().backward()
print(seen, net[0].weight.grad.sum().item())
""",
    "autograd function": """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2 + ctx.saved_tensors[0]
x = torch.ones(3, requires_grad=True)
Double.apply(x).sum().backward()
print(x.grad.tolist())
""",
    "copies of models": NET
    + """
import pickle
optimizer = torch.optim.Adam(net.parameters())
"""
    + STEPS
    + """
other = copy.deepcopy(net)
buffer = io.BytesIO()
torch.save({"net": other.state_dict(), "optimizer": copy.deepcopy(optimizer.state_dict())}, buffer)
buffer.seek(0)
net.load_state_dict(torch.load(buffer, weights_only=True)["net"])
print(net(x).sum().item(), pickle.loads(pickle.dumps(other))(x).sum().item())
""",
    "modes of the program": """
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
class Functions(TorchFunctionMode):
    calls = 0
    def __torch_function__(self, func, types, args=(), kwargs=None):
        Functions.calls += 1
        return func(*args, **(kwargs or {}))
class Operators(TorchDispatchMode):
    calls = []
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        Operators.calls.append(str(func))
        return func(*args, **(kwargs or {}))
with Functions(), Operators():
    x = torch.ones(2)
    x.clone().add_(1)
print(Functions.calls, Operators.calls)
""",
    "saved tensors hooks of the program": """
packed = []
def pack(tensor):
    packed.append(tuple(tensor.shape))
    return tensor
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    y = x.exp() * x
y.sum().backward()
with torch.autograd.graph.save_on_cpu():
    z = x.exp()
z.sum().backward()
print(packed, x.grad.tolist())
""",
    "profiler": """
from torch.profiler import ProfilerActivity, profile
with profile(activities=[ProfilerActivity.CPU]) as seen:
    torch.ones(4).clone()
print("aten::clone" in {event.key for event in seen.key_averages()})
""",
    "export": """
class Net(nn.Module):
    def forward(self, x):
        return x.clone().add_(1).reshape(-1).sum()
exported = torch.export.export(Net(), (torch.ones(2, 3),))
print(exported.module()(torch.ones(2, 3)).item(), torch.ones(2).clone().sum().item())
""",
    "a tracer of lines": """
import sys
lines = []
def follow(frame, event, argument):
    if event == "line" and frame.f_code.co_name == "work":
        lines.append(frame.f_lineno - frame.f_code.co_firstlineno)
    return follow
def work(x):
    y = x.clone()
    y += 1
    return y.sum().item()
before = sys.gettrace()
sys.settrace(follow)
print(work(torch.ones(3)))
kept = sys.gettrace() is follow
sys.settrace(before)
print(lines, kept)
""",
    "a profiler of calls": """
import sys
calls = []
def follow(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "work":
        calls.append(event)
def work(x):
    return x.clone().sum().item()
before = sys.getprofile()
sys.setprofile(follow)
print(work(torch.ones(3)))
sys.setprofile(before)
print(calls)
""",
    "a debugger": """
import pdb, io
def work(x):
    y = x.clone()
    return y.sum().item()
told = io.StringIO()
debugger = pdb.Pdb(stdin=io.StringIO("next\\nnext\\ncontinue\\n"), stdout=told, nosigint=True, readrc=False)
print(debugger.runcall(work, torch.ones(3)), "y = x.clone()" in told.getvalue())
""",
    "asyncio and generators": """
import asyncio
def batches():
    for i in range(3):
        yield torch.full((2,), float(i)).clone()
async def work(i):
    await asyncio.sleep(0)
    return torch.full((2,), float(i)).clone().sum().item()
async def main():
    return await asyncio.gather(*(work(i) for i in range(3)))
print(sum(batches()).tolist(), asyncio.run(main()))
""",
    "a step that raises": NET
    + """
class Failing(torch.optim.SGD):
    def step(self, closure=None):
        super().step()
        raise ValueError("in the step")
optimizer = Failing(net.parameters(), lr=0.1)
for _ in range(2):
    try:
        net(x).sum().backward()
        optimizer.step()
    except ValueError as error:
        print(error, torch.ones(2).clone().sum().item())
""",
    "a backward that raises": """
class Failing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, gradient):
        raise ValueError("in backward")
x = torch.ones(2, requires_grad=True)
for _ in range(2):
    try:
        Failing.apply(x).sum().backward()
    except ValueError as error:
        print(error)
""",
    "quantized": """
x = torch.quantize_per_tensor(torch.arange(4.0), 0.5, 0, torch.qint8)
print(x.clone().dequantize().tolist())
""",
    "nested": """
x = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
print([part.tolist() for part in (x.clone() * 2).unbind()])
""",
    "jit": """
@torch.jit.script
def f(x):
    return x.clone().add_(1).sum()
print(f(torch.ones(3)).item(), torch.jit.trace(lambda x: x.clone() * 2, torch.ones(2))(torch.ones(2)).tolist())
""",
    "schedulers and averages": NET
    + """
from torch.optim.swa_utils import AveragedModel
optimizer = torch.optim.AdamW(net.parameters())
average, scheduler = AveragedModel(net), torch.optim.lr_scheduler.StepLR(optimizer, 1)
"""
    + STEPS
    + "    average.update_parameters(net)\n    scheduler.step()\nprint(average(x).sum().item())\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_a_program_prints_the_same_and_nothing_of_it_is_missing(name: str, tmp_path: Path) -> None:
    code = "import io\n" + PROGRAMS[name]
    file = tmp_path / "alone.py"
    file.write_text(code)
    with contextlib.redirect_stdout(io.StringIO()) as alone:
        exec(compile(code, str(file), "exec"), scope() | {"__name__": "__main__"})
    with contextlib.redirect_stdout(io.StringIO()) as recorded:
        capture = traced(code, tmp_path)

    assert recorded.getvalue() == alone.getvalue() != ""
    assert (capture.ended, capture.limits, capture.findings) == ("normally", (), ())
    assert_nothing_is_left()


LEFT = {
    "function mode": "from torch.overrides import TorchFunctionMode\nmode = TorchFunctionMode()\n",
    "saved tensors hooks": "mode = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)\n",
    "dispatch mode": "from torch.utils._python_dispatch import TorchDispatchMode\nmode = TorchDispatchMode()\n",
    "no grad": "mode = torch.no_grad()\n",
}


@pytest.mark.parametrize("name", LEFT)
def test_a_recording_that_ends_inside_a_mode_of_the_program_leaves_that_one_alone(name: str, tmp_path: Path) -> None:
    code = (
        "x = torch.ones(2).clone()\nkept = [x] * 3\n"
        + LEFT[name]
        + "mode.__enter__()\nimport sys\nsys.modules['left_open'] = mode\n"
    )
    capture = traced(code, tmp_path)
    sys.modules.pop("left_open").__exit__(None, None, None)  # type: ignore[attr-defined]

    assert (capture.ended, [c.bytes for c in capture.copies], torch.is_grad_enabled()) == ("normally", [8], True)
    assert_nothing_is_left()


def assert_nothing_is_left() -> None:
    """No mode, hook or key of a recording is on this thread."""
    assert torch._C._len_torch_function_stack() == 0
    assert torch._C._autograd._top_saved_tensors_default_hooks(True) is None
    assert not any("TESTING_ONLY" in str(key) for key in _included())
    assert (sys.getprofile(), threading.getprofile()) == (None, None)


def _included() -> list[str]:
    keys = torch._C._dispatch_tls_local_include_set()
    names = ("TESTING_ONLY_GenericMode", "TESTING_ONLY_GenericWrapper")
    return [name for name in names if keys.has(torch._C._dispatch_key_parse(name))]
