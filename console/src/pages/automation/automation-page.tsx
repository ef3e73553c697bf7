export function AutomationPage() {
  return null
}
