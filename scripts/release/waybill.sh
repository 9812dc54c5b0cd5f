#!/bin/sh
# Starts Waybill with the Node that comes along, from wherever it was unpacked, also through a link.
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
