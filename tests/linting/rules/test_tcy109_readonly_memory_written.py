"""Writes into memory that is read-only."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY109"
WRONG = cases(
    """
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
