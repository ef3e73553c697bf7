// The name of an API: the first part of its tools' ids.

/** Letters, digits, `_`, `.` and `-`; everything else becomes `-`. */
export function cleanName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '') || 'api'
}
