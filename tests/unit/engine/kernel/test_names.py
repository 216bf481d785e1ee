"""Names that are stored unencrypted: no separator hides a number, and no plain name is taken for one."""

import pytest

from mace.core.errors import InvalidInput
from mace.engine.kernel.cleaning import is_personal
from mace.engine.kernel.recorder import check_seed


@pytest.mark.parametrize(
    "name",
    [
        "path:/home/212-555-1200/x",
        "path:/phone/2125551200",
        "path:/people/phone_212_555_1200.txt",
        "user/profile/user_ana/phone_2125551200",
        "user/profile/user_ana/phone_212_555_1200",
        "user/profile/user_ana/x_412_33_4001",
        "user/phone_2125551200/user_ana/x",
        "world/phone/2125551200/owner",
        "world/fact/phone_2125551200/owner",
        "phone_2125551200",
        "phone/2125551200",
        "2125551200_phone",
    ],
)
def test_a_number_between_separators_is_found(name: str):
    assert is_personal(name)
    if "/" not in name:
        with pytest.raises(InvalidInput):
            check_seed(name)


@pytest.mark.parametrize(
    "name",
    [
        "user/profile/user_1234567/phone",
        "user/profile/user_2125551200/phone",
        "user/orders/user_bob/order_20261115",
        "user/profile/user_bob/phone",
        "world/fact/item_1234567890/name",
        "world/city/berlin/population_2020_01_01",
        "path:/var/log/2024/01/31/app_000123.log",
        "path:/srv/releases/20240131235959/x.py",
        "path:/home/ana/20240131_235959.jpg",
        "job_20261115_000123",
        "run_2024_01_31_23_59_59",
        "ticket_1234567",
        "3f2b8c1e-77aa-4f0e-9f53-0a1b2c3d4e5f",
    ],
)
def test_plain_names_are_let_be(name: str):
    assert not is_personal(name)
