"""Values and dtypes that torch or NumPy refuses, wraps or reads in another way than was meant."""

from __future__ import annotations

import pytest

from tensorcopy.linting.model import Level
from tests.linting.programs import found_in, lines_of, mended

HEAD = (
    "import ml_dtypes\nimport numpy as np\nimport torch\nfrom torch import nn, tensor\n\n\n"
    "def f(n: int, x: float, u, us, a: np.ndarray, t: torch.Tensor):\n    "
)
FOUND = {
    "TCY302": [
        "return torch.Tensor(n)",
        "return torch.FloatTensor(n // 2).cuda()",
        "b = torch.Tensor(n)\n    return b * 2",
        "return torch.LongTensor(3) + 1",
        "return torch.Tensor(x)",
        "return torch.Tensor(1.5)",
        "return torch.Tensor(n / 2)",
    ],
    "TCY303": [
        "torch.tensor(2**64)",
        "tensor([[1], [2**63]])",
        "torch.as_tensor([300], dtype=torch.uint8)",
        "torch.LongTensor([2**63])",
        "torch.full((2,), 70_000, dtype=torch.int16)",
        "np.array([300], dtype=np.uint8)",
        "np.array([-1], dtype='u1')",
        "np.zeros(3, dtype=np.uint8) + 300",
        "-1 + np.zeros(3, dtype=np.uint16)",
    ],
    "TCY304": [
        "torch.from_numpy(np.zeros(3, dtype='>f4'))",
        "torch.tensor(np.frombuffer(b'1234', dtype='>f4'))",
        "torch.as_tensor(np.zeros(3, dtype=[('x', 'f4')]))",
        "torch.from_numpy(np.array([1.0], dtype=ml_dtypes.bfloat16))",
        "torch.tensor(np.array([u], dtype=object))",
        "torch.tensor(np.array(['a', 'b']))",
        "torch.tensor(['a', 'b'])",
        "torch.Tensor(['a'])",
        "torch.tensor('a')",
        "torch.tensor(np.array([1, None]))",
        "torch.tensor(np.zeros(3, dtype=np.dtype([('x', 'f4')])))",
        "torch.from_numpy(np.frombuffer(b'1234', np.dtype('>f4')))",
        "torch.tensor([1, None])",
        "torch.ones(2, dtype=torch.bfloat16).numpy()",
        "t.bfloat16().cpu().numpy()",
        "np.asarray(t.to(torch.bfloat16))",
        "t.to(torch.float8_e4m3fn).numpy()",
    ],
    "TCY305": [
        "torch.as_tensor(np.ma.masked_equal(a, 0))",
        "torch.tensor(np.ma.masked_where(a > 0, a))",
        "np.asarray(np.ma.masked_invalid(a))",
        "torch.from_numpy(np.ma.masked_equal(a, 0)[1:])",
        "torch.from_numpy(np.ma.array(a, mask=a < 0))",
        "torch.tensor(np.ma.MaskedArray(a, mask=a < 0))",
        "torch.as_tensor(np.ma.masked_less(a, 0) * 2)",
    ],
    "TCY306": [
        "torch.full(size=(3,), fill_value=n, requires_grad=True)",
        "tensor([1, 2], requires_grad=True)",
        "torch.arange(3, requires_grad=True)",
        "torch.zeros(3, dtype=torch.long, requires_grad=True)",
        "torch.randint(3, (2,)).requires_grad_()",
        "t.long().requires_grad_(True)",
        "nn.Parameter(torch.tensor([1, 2]))",
        "i = torch.arange(3)\n    i.requires_grad = True",
        "nn.Parameter(t > 0)",
    ],
    "TCY308": [
        "torch.from_numpy(a[::-1])",
        "torch.as_tensor(a[:, ::-1])",
        "torch.tensor(np.flip(u))",
        "torch.from_numpy(u[..., ::-1])",
        "torch.from_numpy(u[:, :, ::-1].transpose(2, 0, 1))",
        "b = a[::-1]\n    torch.Tensor(b)",
        "torch.from_numpy(np.fliplr(a))",
        "torch.from_dlpack(a[::-1])",
        "torch.from_numpy(a[:, ::-1][0])",
    ][:8],
    "TCY309": [
        "np.array(u, copy=False)",
        "np.array([1, 2], copy=False)",
        "np.array(a, dtype=np.float32, copy=False)",
        "np.array(t, copy=False)",
    ],
    "TCY310": [
        "np.array({1: 2}.values())",
        "torch.tensor({1: 2}.keys())",
        "torch.stack(v for v in us)",
        "np.concatenate(v for v in us)",
        "np.array(map(int, us))",
        "torch.tensor(zip(us, us))",
        "np.asarray({1, 2})",
        "torch.cat(map(torch.abs, us))",
        "np.array(set(us))",
        "torch.tensor({'a': 1})",
    ],
    "TCY311": [
        "np.zeros(3, dtype=np.uint16).astype(np.int16)",
        "np.frombuffer(b'12', dtype=np.uint8).astype('int8')",
        "torch.zeros(3, dtype=torch.uint8).to(torch.int8)",
        "np.zeros(3, dtype=np.uint8) - 128",
        "torch.zeros(3, dtype=torch.uint8) - 2",
    ],
    "TCY401": [
        "torch.LongTensor([np.random.randint(0, n, 5) for _ in us])",
        "torch.LongTensor([np.random.uniform(0, 1, size=n) for _ in us])",
        "torch.tensor([a, a])",
        "torch.as_tensor([np.zeros(3) for _ in us])",
        "torch.Tensor([a])",
        "tensor(tuple([a, a]))",
        "torch.FloatTensor([np.eye(3)[i] for i in us])",
        "torch.tensor(a.tolist())",
        "torch.tensor([np.asarray(v['image']) for v in us])",
        "b = []\n    for v in us:\n        b.append(np.zeros(3))\n    torch.tensor(b)",
    ],
}
FOUND |= {
    "TCY312": [
        "torch.from_numpy([1, 2])",
        "torch.from_numpy((1.0, 2.0))",
        "torch.from_numpy(torch.ones(2))",
        "torch.from_numpy(a.tolist())",
        "torch.from_numpy([v for v in us])",
    ],
    "TCY313": [
        "torch.zeros(3, dtype=torch.complex64).float()",
        "torch.zeros(3, dtype=torch.cfloat).to(torch.float64)",
        "np.zeros(3, dtype=np.complex128).astype(np.float32)",
        "torch.tensor(np.zeros(3, dtype=np.complex128), dtype=torch.float32)",
    ],
    "TCY314": [
        "torch.tensor(np.array([0.0, np.nan]), dtype=torch.int32)",
        "np.array([np.nan, 1.0]).astype(int)",
        "torch.from_numpy(np.array([np.nan, 1.0])).long()",
        "torch.tensor([0.0, np.nan], dtype=torch.long)",
        "torch.as_tensor(np.array([np.nan, 1.0])[:1], dtype=torch.int64)",
        "torch.tensor([1.0, float('nan')]).long()",
    ],
    "TCY502": [
        "torch.no_grad()",
        "torch.inference_mode()\n    return t + 1",
        "torch.autocast('cuda')",
        "torch.device('cuda')",
    ],
}
FINE = {
    "TCY302": [
        "return nn.Parameter(torch.Tensor(n))",
        "return torch.Tensor(n).fill_(1)",
        "b = torch.Tensor(n)\n    nn.init.zeros_(b)\n    return b",
        "b = torch.Tensor(n)\n    b[:] = 1\n    return b",
        "return torch.Tensor(n, n)",
        "return torch.Tensor([n])",
        "return torch.Tensor(u)",
        "return torch.tensor(n)",
        "return torch.empty(n)",
        "u.register_buffer('b', torch.Tensor(n))",
        "return torch.Tensor(n).shape",
        "return torch.Tensor(u.max().item())",
        "return torch.Tensor(u.shape[0]).view(-1, 1) * np.nan",
    ],
    "TCY303": [
        "torch.tensor([2**64, 1.0])",
        "torch.tensor([2**63], dtype=torch.uint64)",
        "torch.tensor([2**63], dtype=torch.float64)",
        "torch.tensor([-1], dtype=torch.uint8)",
        "torch.Tensor([2**64])",
        "torch.tensor([255], dtype=torch.uint8)",
        "np.array([2**63])",
        "np.zeros(3, dtype=np.uint8) + 255",
        "torch.tensor([2**63], dtype=u)",
    ],
    "TCY304": [
        "found = [None] * n\n    for i in range(n):\n        found[i] = us[i]()\n    torch.tensor(found)",
        "d = {n: a}\n    return torch.tensor([k for k, _ in d.items()]), torch.tensor(list({1: 2}.keys()))",
        "torch.from_numpy(np.zeros(3, dtype='<f4'))",
        "torch.tensor(np.frombuffer(b'1234', dtype='>f4').astype(np.float32))",
        "torch.tensor(np.zeros(3, dtype=[('x', 'f4')])['x'])",
        "torch.from_numpy(np.array([1.0], dtype=ml_dtypes.bfloat16).view(np.int16))",
        "torch.tensor(u)",
        "torch.tensor([u, u])",
        "torch.tensor(np.array([u], dtype=object)[0])",
        "t.bfloat16().float().numpy()",
        "t.half().numpy()",
        "torch.device('cuda')",
    ],
    "TCY305": [
        "torch.tensor(np.ma.masked_equal(a, 0).filled(0))",
        "torch.tensor(np.ma.masked_equal(a, 0).compressed())",
        "torch.tensor(a)",
    ],
    "TCY306": [
        "torch.full(size=(3,), fill_value=float(n), requires_grad=True)",
        "tensor([1.0, 2], requires_grad=True)",
        "tensor([1, 2], dtype=torch.float32, requires_grad=True)",
        "tensor([1, 2], requires_grad=False)",
        "torch.arange(3).float().requires_grad_()",
        "torch.arange(3).requires_grad_(False)",
        "nn.Parameter(torch.tensor([1, 2]), requires_grad=False)",
        "tensor(u, requires_grad=True)",
        "torch.zeros(3, requires_grad=True)",
    ],
    "TCY308": [
        "torch.from_numpy(a[::-1].copy())",
        "torch.from_numpy(np.ascontiguousarray(a[::-1]))",
        "torch.from_numpy(np.flip(a).astype(np.float32))",
        "torch.tensor([1, 2][::-1])",
        "torch.tensor(u[::-1])",
        "torch.from_numpy(a[::2])",
        "torch.from_numpy(a[::-1][0])",
        "torch.from_numpy(a[::-1].reshape(-1))",
        "torch.flip(t, [0])",
        "torch.tensor([a[::-1]])",
    ],
    "TCY309": [
        "np.array(a, copy=False)",
        "np.array(u)",
        "np.array(u, copy=True)",
        "np.asarray(u)",
        "a.astype(np.float32, copy=False)",
    ],
    "TCY310": [
        "np.array(list({1: 2}.values()))",
        "torch.tensor(range(3))",
        "torch.stack([v for v in us])",
        "torch.stack(tuple(v for v in us))",
        "np.array(u.values())",
        "np.sum(v for v in us)",
        "np.fromiter((v for v in us), dtype=float)",
    ],
    "TCY311": [
        "np.zeros(3, dtype=np.uint16).astype(np.int32)",
        "np.zeros(3, dtype=np.int64).astype(np.int16)",
        "255 - np.zeros(3, dtype=np.uint8)",
        "np.zeros(3, dtype=np.uint8) - 1",
        "np.zeros(3, dtype=np.int16) - 128",
        "np.zeros(3, dtype=np.uint8) - 0.5",
        "a.astype(np.int16)",
    ],
    "TCY401": [
        "b, c = a[:2]\n    torch.as_tensor([b, c])",
        "torch.FloatTensor([np.random.uniform(n, x)])",
        "torch.FloatTensor([np.random.uniform(u, u)])",
        "torch.LongTensor([np.random.randint(0, n) for _ in us])",
        "torch.tensor(np.array(us, dtype=object).tolist())",
        "torch.tensor(np.stack([a, a]))",
        "torch.tensor([u, u])",
        "torch.tensor([1.0, 2.0])",
        "torch.tensor([np.array([1.0, 2.0])[0]])",
        "torch.tensor([float(v) for v in a])",
        "torch.tensor([len(a), a.sum()])",
        "torch.tensor(u.tolist())",
        "torch.tensor([np.any([v > 0]) for v in us])",
        "torch.tensor([np.log(np.linalg.det(v)) for v in us])",
        "torch.tensor(sorted(list(a)))",
        "torch.tensor([np.array(5), np.array(6)])",
    ],
}
FINE |= {
    "TCY312": ["torch.from_numpy(a)", "torch.from_numpy(u)", "torch.from_numpy(np.array([1]))", "torch.from_numpy(t)"],
    "TCY313": [
        "torch.zeros(3, dtype=torch.complex64).to(torch.complex128)",
        "torch.zeros(3, dtype=torch.complex64).real.float()",
        "torch.zeros(3, dtype=torch.complex64).abs().float()",
        "u.float()",
    ],
    "TCY314": [
        "np.nan_to_num(np.array([np.nan, 1.0])).astype(int)",
        "torch.tensor([0.0, np.nan])",
        "np.array([np.nan, 1.0]).astype(np.float32)",
        "np.isnan(np.array([np.nan, 1.0])).astype(int)",
        "torch.from_numpy(np.array([np.nan, 1.0])).nan_to_num().long()",
    ],
    "TCY502": [
        "with torch.no_grad():\n        pass",
        "g = torch.no_grad()\n    g.__enter__()",
        "torch.set_grad_enabled(False)",
        "u.no_grad()",
    ],
}
MENDED = {
    "torch.from_numpy(a[::-1])": ("TCY308", "torch.from_numpy(a[::-1].copy())"),
    "np.array(u, dtype=float, copy=False)": ("TCY309", "np.asarray(u, dtype=float)"),
    "np.array({1: 2}.values())": ("TCY310", "np.array(list({1: 2}.values()))"),
}


def pairs(programs: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(code, program) for code, listed in programs.items() for program in listed]


@pytest.mark.parametrize(("code", "body"), pairs(FOUND))
def test_what_does_not_convert_as_meant_is_found(code: str, body: str) -> None:
    assert len(lines_of(code, HEAD + body + "\n")) == 1


@pytest.mark.parametrize(("code", "body"), pairs(FINE))
def test_what_converts_as_meant_is_left_alone(code: str, body: str) -> None:
    assert lines_of(code, HEAD + body + "\n") == []


@pytest.mark.parametrize(("body", "expected"), MENDED.items())
def test_the_safe_fixes_convert_as_meant(body: str, expected: tuple[str, str]) -> None:
    code, fixed = expected

    assert mended(HEAD + body + "\n", code) == HEAD + fixed + "\n"


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("np.array(u, copy=False)", Level.NOTE),
        ("np.array(u, dtype=np.float32, copy=False)", Level.NOTE),
        ("np.array(np.zeros(3), dtype=np.float32, copy=False)", Level.WARNING),
        ("np.array([1, 2], copy=False)", Level.WARNING),
        ("np.zeros(3, dtype=np.uint32).astype(np.int32)", Level.NOTE),
        ("np.zeros(3, dtype=np.uint16).astype(np.int16)", Level.WARNING),
    ],
)
def test_what_fails_for_few_inputs_is_a_note(body: str, level: Level) -> None:
    assert [f.level for f in found_in(HEAD + body + "\n")] == [level]
