"""What runs inside the isolated process, and around it. Standard library only.

The folder is put on the path of an interpreter that has nothing else of this package.
"""
