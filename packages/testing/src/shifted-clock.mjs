// Loaded into a process before its program, with `node --import`: shifts the clock of that process by
// CLOCK_SHIFT_MS, as if somebody had set the machine's clock. Other processes are not affected.
const shift_ms = Number(process.env.CLOCK_SHIFT_MS ?? 0)
const RealDate = Date
const readShifted = () => RealDate.now() + shift_ms

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, of) => Reflect.construct(target, given.length > 0 ? given : [readShifted()], of),
  apply: () => new RealDate(readShifted()).toString(),
  get: (target, name) => (name === 'now' ? readShifted : Reflect.get(target, name)),
})
