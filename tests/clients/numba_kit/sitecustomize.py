"""On PYTHONPATH, for every process that numba's tests start.

This numba (0.56) takes NAME_v2 of every function of the driver that has one. Drivers of CUDA 13, ours as well
as NVIDIA's, have two that take a context more than NAME does; it is told to leave those alone."""
from numba.cuda.cudadrv.driver import Driver

KEPT = ("cuCtxGetDevice", "cuCtxSynchronize")
find_api = Driver._find_api


def find_old_api(driver, name):
    return getattr(driver.lib, name) if name in KEPT else find_api(driver, name)


Driver._find_api = find_old_api
