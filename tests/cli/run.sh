#!/usr/bin/env bash
# The command line, by Debian's Python (another python3 may come first on PATH).
set -euo pipefail
cd "$(dirname "$0")"
exec /usr/bin/python3 -m unittest -q test_cli test_rerun test_soft test_soft_morphs test_process_rig test_curves test_curves_formats test_rig test_rig_runs test_on test_collide test_keyed test_modes test_stiffness test_pose test_paper test_view
