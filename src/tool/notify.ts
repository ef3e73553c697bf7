/** Tells the crib's user something that belongs to no call. */
export type Notify = (
  level: 'info' | 'warn' | 'error',
  message: string,
  data?: { readonly [key: string]: unknown },
) => void
