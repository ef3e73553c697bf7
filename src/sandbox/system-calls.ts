// A filter on system calls, as the kernel takes it: what no tool needs and a capability check alone stands
// before (mounts, modules, other clocks), what namespaces do not divide (the keyrings of the session, the
// channel to a hypervisor), and what has been the door of too many escapes (bpf, io_uring, userfaultfd).

/** Numbers on x86-64 and on AArch64; null where it does not exist. */
type Numbers = readonly [x64: number | null, arm64: number | null]

/** Answered with EPERM. */
const forbidden: { readonly [call: string]: Numbers } = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  delete_module: [176, 106],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  ioperm: [173, null],
  iopl: [172, null],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pivot_root: [155, 41],
  quotactl: [179, 60],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
}

/** Answered with ENOSYS, so that programs fall back to the older way. */
const absent: { readonly [call: string]: Numbers } = {
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  userfaultfd: [323, 282],
}

const socketCall: Numbers = [41, 198]
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that a network namespace divides. */
const families = [1, 2, 10, 16]

const architectures: { readonly [arch: string]: { readonly audit: number; readonly column: 0 | 1 } } = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
}

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const give = 0x06
const allow = 0x7fff0000
const failWith = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

/** The filter as bytes for `--seccomp`; undefined on an architecture whose numbers we do not know. */
export function systemCallFilter(arch: string = process.arch): Buffer | undefined {
  const known = architectures[arch]
  if (!known) return undefined
  const numbers = (calls: { readonly [call: string]: Numbers }) =>
    Object.values(calls)
      .map((pair) => pair[known.column])
      .filter((number) => number !== null)
  const program: Instruction[] = [
    // Another calling convention has other numbers: refused as a whole.
    [load, 0, 0, 4],
    [jumpIfEqual, 1, 0, known.audit],
    [give, 0, 0, failWith(EPERM)],
    [load, 0, 0, 0],
    [jumpIfAtLeast, 0, 1, 0x40000000],
    [give, 0, 0, failWith(EPERM)],
  ]
  for (const number of numbers(forbidden)) program.push(...answer(number, failWith(EPERM)))
  for (const number of numbers(absent)) program.push(...answer(number, failWith(ENOSYS)))
  program.push([jumpIfEqual, 0, families.length + 2, socketCall[known.column]!], [load, 0, 0, 16])
  families.forEach((family, index) => program.push([jumpIfEqual, families.length - index, 0, family]))
  program.push([give, 0, 0, failWith(EAFNOSUPPORT)], [give, 0, 0, allow])
  return encode(program)
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

function answer(number: number, result: number): Instruction[] {
  return [
    [jumpIfEqual, 0, 1, number],
    [give, 0, 0, result],
  ]
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4)
  })
  return bytes
}
