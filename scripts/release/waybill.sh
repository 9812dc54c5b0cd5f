#!/bin/sh
# Starts Waybill with the bundled Node, from wherever it was unpacked, even through a link.
program=$0
while [ -h "$program" ]; do
  target=$(readlink "$program")
  case $target in
    /*) program=$target ;;
    *) program=${program%/*}/$target ;;
  esac
done
here=$(CDPATH='' cd -- "${program%/*}/.." && pwd -P) || exit 1
exec "$here/runtime/node" --max-semi-space-size=64 "$here/lib/waybill/dist/main.js" "$@"
