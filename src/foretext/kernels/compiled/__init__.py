"""What becomes of a kernel: numba's machine code, kept in files and loaded without numba.

compiler.py      the one import of numba
numba_files.py   numba's own cache files, checked before they are read
kept.py          object code that foretext keeps, so that a kernel runs without numba
object_file.py   how such code is put into memory
"""
