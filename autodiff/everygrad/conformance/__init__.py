"""The suite that every backend must pass, shipped with the library.

python -m everygrad conformance mypkg:MyBackend
pytest --pyargs everygrad.conformance --backend mypkg:MyBackend
"""
