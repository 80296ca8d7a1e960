import numpy as np
import torch

labels = np.array([1.0, 2.0, np.nan, 0.0])
wanted = torch.from_numpy(labels).long()  # fault -> wanted = torch.from_numpy(np.nan_to_num(labels)).long()
print(wanted.shape)
