import torch


class Images(torch.utils.data.Dataset):
    def __init__(self):
        self.pixels = torch.ones(8, 3, 4)

    def __len__(self):
        return 8

    def __getitem__(self, index):
        image = self.pixels[index]  # fault -> image = self.pixels[index].clone()
        image.mul_(0.5)  # related
        return image


images = Images()
for epoch in range(3):
    print(sum(images[index].sum().item() for index in range(8)))
