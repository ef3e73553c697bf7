// Chromium without a language of the system, as in most containers, calls itself `en-US@posix`. Intl throws at such
// a name, and so do the charts, which ask it how numbers are written.
export function fixLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { configurable: true, value: 'en-US' })
  }
}
