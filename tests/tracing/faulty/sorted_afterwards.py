import numpy as np
import torch

scores = np.random.default_rng(3).random(50)
ranked = torch.as_tensor(scores)  # fault -> ranked = torch.tensor(scores)
scores.sort()  # related
top = scores[-5:].mean()
print(top, ranked.argmax().item())
