#!/usr/bin/env bash
# Installs the kernel with one plugin at a time, each in its own environment, and runs its tests.
# Usage: .ci/alone.sh [PLUGIN-FOLDER …]; all plugins without arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1

folders=("$@")
[ "${#folders[@]}" -gt 0 ] || folders=(plugins/*/)
for folder in "${folders[@]}"; do
  name="$(basename "$folder")"
  echo "-- $name alone with the kernel"
  python3 -m venv "$work/$name"
  "$work/$name/bin/pip" install -q ".[units]" "./plugins/$name[test]" \
    "pytest>=8.2" "pytest-xdist>=3.6" "hypothesis>=6.100"
  if [ -f "plugins/$name/requirements-test.txt" ]; then
    "$work/$name/bin/pip" install -q --no-deps -r "plugins/$name/requirements-test.txt"
  fi
  PATH="$work/$name/bin:$PATH" "$work/$name/bin/python" -m pytest -q -n auto "plugins/$name/tests"
  rm -rf "${work:?}/$name"
done
