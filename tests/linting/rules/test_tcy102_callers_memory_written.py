"""Arguments that are converted, written, and so changed for the caller."""

from __future__ import annotations

import pytest

from tests.linting.programs import cases, codes_in, lines_of, marked_lines

CODE = "TCY102"
WRONG = cases(
    """
--- converted to the dtype that the test found
import torch
def scaled(x: torch.Tensor):
    if x.dtype == torch.float32:
        y = x.type(torch.float) # here
        y.mul_(2)
        return y
    return x
--- a caller binds the result to its own argument
import torch
def decoded(output: torch.Tensor, scale):
    output = output.permute(0, 2, 1).contiguous() # here
    output[..., :2] *= scale
    return output
def run(output):
    output = decoded(output, 2)
    return output
--- as_tensor div
import torch
def normalise(img):
    t = torch.as_tensor(img) # here
    t -= t.mean()
    return t
--- numpy of tensor
import torch
def augment(x: torch.Tensor):
    a = x.numpy() # here
    a[:, ::2] = 0
    return torch.from_numpy(a)
--- np.asarray arg
import numpy as np
def clean(values):
    a = np.asarray(values) # here
    a[np.isnan(a)] = 0
    return a
--- np.asarray float dtype
import numpy as np
def scale(values):
    values = np.asarray(values, dtype=np.float64) # here
    values -= values.mean(axis=0)
    values /= values.std(axis=0)
    return values
--- from numpy in-place method
import torch
def prepare(image):
    x = torch.from_numpy(image) # here
    x.div_(255)
    return x.unsqueeze(0)
--- chain
import torch
def prepare(image):
    x = torch.from_numpy(image).permute(2, 0, 1) # here
    x[0] = x[0] - 1
    return x
--- to device
import torch
def mask(x: torch.Tensor, device):
    y = x.to(device) # here
    y[y < 0] = 0
    return y
--- float
import torch
def mask(x: torch.Tensor):
    y = x.float() # here
    y.clamp_(0, 1)
    return y
--- float same name
import torch
def mask(x: torch.Tensor):
    x = x.float() # here
    x.clamp_(0, 1)
    return x
--- cpu numpy
import torch
def show(x: torch.Tensor):
    a = x.detach().cpu().numpy() # here
    a *= 255
    return a.astype('uint8')
--- detach
import torch
def show(x: torch.Tensor):
    y = x.detach() # here
    y -= y.min()
    y /= y.max()
    return y
--- squeeze
import torch
def show(x: torch.Tensor):
    y = x.squeeze() # here
    y -= y.min()
    return y
--- contiguous
import torch
def show(x: torch.Tensor):
    y = x.contiguous() # here
    y[0] = 0
    return y
--- ascontiguousarray
import numpy as np
def show(x):
    y = np.ascontiguousarray(x) # here
    y[y < 0] = 0
    return y
--- astype copy False
import numpy as np
def show(x: np.ndarray):
    y = x.astype(np.float32, copy=False) # here
    y /= 255
    return y
--- reshape np
import numpy as np
def show(x: np.ndarray):
    y = x.reshape(-1) # here
    y -= y.mean()
    return y
--- view torch
import torch
def show(x: torch.Tensor):
    y = x.view(-1) # here
    y -= y.mean()
    return y
--- np clip out
import numpy as np
def f(x: np.ndarray):
    y = np.asarray(x) # here
    np.clip(y, 0, 1, out=y)
    return y
--- from_dlpack
import torch
def f(x):
    t = torch.from_dlpack(x) # here
    t *= 2
    return t
--- asarray torch
import torch
def f(x):
    t = torch.asarray(x) # here
    t *= 2
    return t
--- tree to numpy
import torch
def f(batch):
    x = batch['image'].numpy() # here
    x /= 255
    return x
"""
)
RIGHT = cases(
    """
--- a method of a model's own
def speak(model, text, device):
    model = model.to(device)
    model.make_generation_fast_()
    return model(text)
--- a conversion that may well copy
import torch
def sampled(status: torch.Tensor, flips):
    samples = status.bool()
    samples[flips] = True
    return samples
--- the caller says whether to copy
import torch
def clamped(tensor: torch.Tensor, allow_inplace=False):
    tensor = tensor.to(torch.float32, copy=not allow_inplace)
    tensor.clamp_(0, 1)
    return tensor
--- bytes only
import torch
def forward(observation):
    if observation.dtype == torch.uint8:
        image = observation.type(torch.float)
        image.mul_(2)
    else:
        image = observation
    return image
--- anything but floats
import numpy as np
def centred(x: np.ndarray):
    if x.dtype == np.float32:
        y = x.copy()
    else:
        y = x.astype(np.float32, copy=False)
        y -= 1
    return y
--- bytes scaled to one
import torch
def forward(observation):
    image = observation.type(torch.float)
    image = image.mul_(1.0 / 255)
    return image.mean()
--- bytes divided
import torch
def prepare(image):
    x = torch.from_numpy(image).float()
    x /= 255
    return x[None]
--- through layers that an unknown list holds
import torch
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor, extra):
        h = x.type(torch.float32)
        for layer in self.layers:
            h = layer(h)
        h += extra
        return h
--- callers bind the result to what they handed over
import torch
def decoded(output: torch.Tensor, scale):
    output = output.permute(0, 2, 1).contiguous()
    output[..., :2] *= scale
    return output, scale
def run(heads):
    found = []
    for head in heads:
        output = torch.cat([head, head])
        output, scale = decoded(output, 2)
        found.append(output)
    return found
--- out of place
import torch
def normalise(img):
    t = torch.as_tensor(img)
    t = t - t.mean()
    return t
--- copied first
import numpy as np
import torch
def augment(x: torch.Tensor):
    a = x.numpy().copy()
    a[:, ::2] = 0
    return torch.from_numpy(a)
def scale(values):
    values = np.array(values, dtype=np.float64)
    values -= values.mean(axis=0)
    return values
def mask(x: torch.Tensor, device):
    y = x.to(device, copy=True)
    y[y < 0] = 0
    return y.detach().clone()
--- another dtype
import torch
def scaled(image):
    x = torch.tensor(image, dtype=torch.float32)
    x /= 255
    return x
--- says that it works in place
import torch
def clip_(x):
    t = torch.as_tensor(x)
    t.clamp_(0, 1)
    return t
def fill_rows(x: torch.Tensor):
    '''Fill the rows of x in place.'''
    t = x.detach()
    t[0] = 1
    return t
--- output argument
import torch
def scaled(x, out):
    t = torch.from_numpy(out)
    t.copy_(x)
    return t
--- cache of the object
import torch
class Cache:
    def append(self, cache: torch.Tensor, k, at):
        window = cache[:, :at]
        window.copy_(k)
        return window
--- gradients
import torch
def clip(parameters, limit):
    for p in parameters:
        g = p.grad.detach()
        g.clamp_(-limit, limit)
--- computed before the conversion
import torch
def show(x: torch.Tensor):
    a = (x * 255).cpu().numpy()
    a[a > 255] = 255
    return a
--- fresh memory under the view
import torch
def noise(x: torch.Tensor):
    y = torch.empty_like(x).view(-1)
    y += 1
    return y
--- weights initialised
import torch
def init_weights(m: torch.nn.Linear):
    w = m.weight.data
    w.normal_()
    return w
--- buffer filled through a flat view
import torch
def gather(grads: torch.Tensor, parts):
    flat = grads.view(-1)
    for i, part in enumerate(parts):
        flat[i] = part
    return grads
--- integer to float
import torch
def centre(x: torch.LongTensor):
    y = x.long().float() - 1
    y /= 2
    return y
"""
)


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_an_argument_written_through_its_conversion_is_found(program: str) -> None:
    assert lines_of(CODE, program) == marked_lines(program)


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_copies_new_values_and_meant_writes_are_left_alone(program: str) -> None:
    assert codes_in(program, notes=False) == []
