"""Saving, loading, and moving between devices."""

from __future__ import annotations

from .model import Message

MESSAGES = (
    Message(
        name="weights-only",
        category="UnpicklingError",
        text="Weights only load failed. This file can still be loaded, to do so you have two options, do those steps "
        "only if you trust the source of the checkpoint.",
        pattern="weights only load failed|unsupported global: global .*? was not an allowed global by default",
        means="The checkpoint holds objects besides tensors and containers, and since torch 2.6 load refuses those "
        "that it does not know: making them can run any code. Also what a file that is no checkpoint at all gives.",
        memory="tensorcopy inspect FILE lists the objects without making them.",
        setup="import fractions, io\nfile = io.BytesIO()\n"
        "torch.save({'w': torch.ones(2), 'lr': fractions.Fraction(1, 2)}, file)\nfile.seek(0)",
        provoke="torch.load(file, weights_only=True)",
        write="with torch.serialization.safe_globals([fractions.Fraction]):  # a class that you know\n"
        "    state = torch.load(file, weights_only=True)",
        holds="state['w'].tolist() == [1.0, 1.0]",
        since="torch 2.5",
        operations=("torch.load",),
    ),
    Message(
        name="archive-damaged",
        category="RuntimeError",
        text="PytorchStreamReader failed reading zip archive: failed finding central directory",
        pattern="pytorchstreamreader failed (reading zip archive|locating file)|file is not a zip file|ran out of "
        "input",
        means="The checkpoint is cut off or is no checkpoint: an interrupted save or download, a Git LFS pointer, an "
        "HTML page.",
        memory="Nothing was loaded. Save to another name and rename it, so that a file is there whole or not at all.",
        setup="import io\nfile = io.BytesIO()\ntorch.save(torch.ones(100), file)\ncut = "
        "io.BytesIO(file.getvalue()[:-200])",
        provoke="torch.load(cut)",
        write="file.seek(0)\nt = torch.load(file, weights_only=True)  # the whole file",
        holds="t.shape == (100,)",
        operations=("torch.load",),
    ),
    Message(
        name="save-two-dtypes",
        category="RuntimeError",
        text="Cannot save multiple tensors or storages that view the same data as different types",
        pattern="cannot save multiple tensors or storages that view the same data as different types",
        means="Two tensors of what is saved look at the same bytes as different dtypes, through view(dtype).",
        memory="torch.save stores shared memory once. A clone has memory of its own and is stored by itself.",
        setup="import io\nx = torch.ones(2)",
        provoke="torch.save([x, x.view(torch.int32)], io.BytesIO())",
        write="torch.save([x, x.view(torch.int32).clone()], io.BytesIO())",
        holds="True is not False",
        operations=("torch.Tensor.clone",),
    ),
    Message(
        name="state-dict-mismatch",
        category="RuntimeError",
        text="Error(s) in loading state_dict for Linear: size mismatch for weight: copying a param with shape "
        "torch.Size([2, 1]) from checkpoint, the shape in current model is torch.Size([1, 1]).",
        pattern=r"error\(s\) in loading state_dict for",
        means="The checkpoint and the model do not have the same parameters. A prefix such as 'module.' comes from "
        "DataParallel; other sizes come from another configuration.",
        memory="load_state_dict copies the values into the model's own memory; with assign=True it takes the tensors "
        "of the checkpoint instead, and shares them.",
        setup="layer = torch.nn.Linear(1, 1)\nstate = {'module.weight': torch.ones(1, 1), 'module.bias': "
        "torch.ones(1)}",
        provoke="layer.load_state_dict(state)",
        write="layer.load_state_dict({name.removeprefix('module.'): value for name, value in state.items()})",
        holds="layer.weight.item() == 1.0 and layer.weight.data_ptr() != state['module.weight'].data_ptr()",
        also=('Error(s) in loading state_dict for Linear:\n\tMissing key(s) in state_dict: "bias".',),
        operations=("torch.nn.Module.load_state_dict",),
    ),
    Message(
        name="typed-storage",
        category="UserWarning",
        text="TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
        "storage class.",
        pattern="typedstorage is deprecated",
        means="x.storage() gives an object that torch is giving up.",
        memory="A storage is the memory behind a tensor: all of it, also for a small view. x.data_ptr() is where the "
        "tensor begins in it.",
        setup="x = torch.ones(4)[2:]",
        provoke="x.storage()",
        write="size = x.untyped_storage().nbytes()",
        holds="size == 16",
        operations=("torch.Tensor.untyped_storage",),
    ),
    Message(
        name="devices-differ",
        category="RuntimeError",
        text="Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        pattern="expected all tensors to be on the same device|tensor on device .*? is not on the expected "
        "device|input type "
        r"\(torch\.cuda\.\w+\) and weight type \(torch\.\w+\) should be the same|expected object of device type",
        means="One operand was not moved: a tensor made inside forward(), a buffer that is a plain attribute, a batch.",
        memory="to(device) copies between devices, keeps the graph, and gives the tensor itself where it is there "
        "already. Make new tensors where they are needed: torch.zeros(n, device=x.device).",
        setup='x, y = torch.ones(2), torch.ones(2, device="meta")',
        provoke="x + y",
        write="z = y + x.to(y.device)",
        holds='z.device.type == "meta"',
        also=("Tensor on device meta is not on the expected device cpu!",),
        operations=("torch.Tensor.to",),
    ),
    Message(
        name="no-data-on-meta",
        category="NotImplementedError",
        text="Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
        "torch.nn.Module.to() when moving module from meta to a different device.",
        pattern="cannot copy out of meta tensor; no data",
        means="The tensor was made on the meta device, which has shapes and no memory; its values were never loaded.",
        memory="to_empty() allocates memory with whatever is in it; load_state_dict then copies the values into it.",
        setup='layer = torch.nn.Linear(1, 1, device="meta")\nstate = torch.nn.Linear(1, 1).state_dict()',
        provoke='layer.to("cpu")',
        write='layer = layer.to_empty(device="cpu")\nlayer.load_state_dict(state)',
        holds="layer.weight.device.type == 'cpu' and torch.equal(layer.weight, state['weight'])",
    ),
)
