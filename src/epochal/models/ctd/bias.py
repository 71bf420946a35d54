"""RelativeBias: what the distance in time of a record from a question adds to their score, learned, and as a table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from epochal.errors import EpochalError
from epochal.models.ctd.codes import distance_codes, frequencies, full_frequencies

__all__ = ["RelativeBias"]

Floats = npt.NDArray[np.float32]


class RelativeBias(nn.Module):
    """eps * MLP(codes of u_record - u_question), where u is a place on the axis from 0 to 1; eps begins at 0.

    With `steps` the frequencies reach the single step of an axis of so many; without, they are the published ones,
    which cannot tell neighbouring months apart.

    >>> bias = RelativeBias()
    >>> bias(torch.tensor([0.1, 0.9]), torch.tensor([0.1, 0.2, 0.3])).abs().max().item()
    0.0
    """

    waves: Tensor

    def __init__(self, width: int = 32, steps: int | None = None) -> None:
        super().__init__()
        if width < 4 or width % 2:
            raise EpochalError(f"the width of the relative code is {width}; accepted: an even number from 4")
        waves = frequencies(width // 2) if steps is None else full_frequencies(width // 2, steps)
        self.register_buffer("waves", waves, persistent=False)
        self.inner = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))
        self.eps = nn.Parameter(torch.zeros(()))

    def forward(self, questions: Tensor, records: Tensor) -> Tensor:
        """The bias of each pair: one row a question, one column a record.

        >>> RelativeBias()(torch.zeros(2), torch.ones(3)).shape
        torch.Size([2, 3])
        """
        return self.of_distance(records[None, :] - questions[:, None])

    def of_distance(self, distance: Tensor) -> Tensor:
        """The bias at distances u_record - u_question, cut to -1 and 1.

        >>> far = RelativeBias().of_distance(torch.tensor([-2.0, -1.0]))
        >>> torch.equal(far[0], far[1])
        True
        """
        bias: Tensor = self.eps * self.inner(distance_codes(distance.clamp(-1, 1), self.waves)).squeeze(-1)
        return bias

    @torch.no_grad()
    def table(self, resolution: int) -> Floats:
        """The bias at 2 * resolution + 1 even distances from -1 to 1, for a lookup by rounded distance.

        >>> RelativeBias().table(4).shape
        (9,)
        """
        if resolution < 1:
            raise EpochalError(f"the resolution of the table is {resolution}; accepted: a whole number from 1")
        device = self.eps.device
        grid = torch.linspace(-1, 1, 2 * resolution + 1, dtype=torch.float64, device=device).float()
        values: Floats = self.of_distance(grid).float().cpu().numpy()
        return values
