"""Writes into memory that is read-only."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY109"
WRONG = cases(
    """
--- a column handed to torch, only read
import pandas as pd
import torch
def f(y: pd.Series | torch.Tensor):
    if not isinstance(y, torch.Tensor):
        if isinstance(y, pd.Series | pd.DataFrame):
            y = y.to_numpy()
        y = torch.as_tensor(y) # here
    return y
--- bytes handed to torch, only read
import numpy as np
import torch
def f(data: bytes):
    pixels = np.frombuffer(data, dtype=np.uint8)
    return torch.from_numpy(pixels) # here
--- a column written through torch
import pandas as pd
import torch
def f(column: pd.Series):
    t = torch.from_numpy(column.values) # here
    t += 1
--- an array of jax
import jax.numpy as jnp
import numpy as np
def f():
    y = np.asarray(jnp.zeros(3) * 2) # here
    y += 1
    return y
--- what a compiled function gives, on one branch
from functools import partial
import jax
import numpy as np
@partial(jax.pmap, static_broadcasted_argnums=(0,))
def generate(a, b):
    return a + b
def f(x, other, jit):
    images = generate(x, x) if jit else other(x)
    images = np.asarray(images) # here
    images[0] = 1
    return images
--- compiled in place
import jax
import numpy as np
def f(g, x):
    step = jax.jit(g)
    y = np.asarray(step(x).round()[0]) # here
    y[0] = 1
    return y
--- frombuffer bytes
import numpy as np
a = np.frombuffer(b'abcd', dtype=np.uint8) # here
a[0] = 1
--- torch frombuffer file
import torch
with open('f', 'rb') as f:
    raw = f.read()
t = torch.frombuffer(raw, dtype=torch.uint8) # here
t[0] = 1
--- PIL asarray
from PIL import Image
import numpy as np
img = Image.open('x.png')
a = np.asarray(img) # here
a[0] = 0
--- PIL asarray torch
from PIL import Image
import numpy as np
import torch
t = torch.from_numpy(np.asarray(Image.open('x.png'))) # here
t[0] = 0
--- load mmap
import numpy as np
import torch
m = np.load('f.npy', mmap_mode='r')
t = torch.from_numpy(m) # here
t += 1
--- arrow
import pyarrow as pa
a = pa.array([1, 2, 3]).to_numpy() # here
a[0] = 5
--- arrow torch
import pyarrow as pa
import torch
a = torch.from_numpy(pa.array([1, 2, 3]).to_numpy()) # here
a[0] = 5
--- setflags
import numpy as np
import torch
a = np.zeros(3)
a.setflags(write=False)
t = torch.from_numpy(a) # here
t[0] = 1
--- pandas series values
import pandas as pd
s = pd.Series([1., 2.])
v = s.to_numpy() # here
v[0] = 1
--- pandas values attr
import pandas as pd
s = pd.Series([1., 2.])
v = s.values # here
v[0] = 1
--- struct bytes
import numpy as np
import struct
a = np.frombuffer(struct.pack('4i', 1, 2, 3, 4), dtype=np.int32) # here
a += 1
--- tobytes
import numpy as np
x = np.zeros(3)
a = np.frombuffer(x.tobytes(), dtype=np.float64) # here
a += 1
"""
)
RIGHT = cases(
    """
--- columns copied on the way to torch
import pandas as pd
import torch
def f(s: pd.Series):
    a, b = torch.tensor(s.values), torch.from_numpy(s.to_numpy(copy=True))
    return a, b, torch.as_tensor(s.to_numpy(), dtype=torch.float32), torch.from_numpy(s.to_numpy() * 2)
--- copies of arrays of jax
import jax
import jax.numpy as jnp
import numpy as np
def f(x):
    y = np.array(jnp.zeros(3))
    y += 1
    z = np.asarray(jnp.zeros(3)).copy()
    z += 1
    w = np.asarray(jnp.zeros(3)) + 1
    w += 1
    t = jnp.zeros(3)
    t = t.at[0].set(1)
    t += 1
    return y, z, w, t
--- compiled by another library
import numba
import numpy as np
@numba.jit
def g(x):
    return x + 1
def f(x):
    y = np.asarray(g(x))
    y[0] = 1
    return y
--- copied first
import numpy as np
import torch
a = np.frombuffer(b'abcd', dtype=np.uint8).copy()
a[0] = 1
t = torch.frombuffer(bytearray(b'abcd'), dtype=torch.uint8)
t[0] = 1
--- picture copied
from PIL import Image
import numpy as np
img = np.array(Image.new('RGB', (2, 2)))
img[0] = 0
scaled = np.asarray(Image.new('RGB', (2, 2)), dtype=np.float32)
scaled /= 255
--- map for writing
import numpy as np
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), 'f')
m = np.memmap(path, dtype='f4', mode='w+', shape=(3,))
m[0] = 1
--- only read
import numpy as np
import torch
a = np.frombuffer(b'abcd', dtype=np.uint8)
print(a.sum(), torch.from_numpy(a.copy()) + 1)
--- new value under the name
import pandas as pd
s = pd.Series([1., 2.])
v = s.to_numpy()
v = v + 1
v[0] = 1
w = s.to_numpy(copy=True)
w[0] = 1
--- broadcast copied
import numpy as np
x = np.broadcast_to(np.zeros(3), (2, 3)).copy()
x[0] = 1
--- flags set for another
import numpy as np
a = np.zeros(3)
a.setflags(write=True)
a[0] = 1
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_a_write_into_readonly_memory_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_and_readings_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
