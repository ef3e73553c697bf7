// GET /api/automation, as the console reads it.

export interface StartedTool {
  readonly name: string
  readonly version: string
  readonly mode: string
  readonly priority: number
  readonly wait_for: readonly string[]
  readonly status: 'succeeded' | 'failed' | 'started' | 'completed' | 'skipped'
  readonly code?: string
  readonly reason?: string
  readonly duration_ms: number
  readonly restarts: number
}

export interface BootstrapReport {
  readonly node: string
  readonly started_at: string
  readonly finished_at: string | null
  readonly order: readonly string[]
  readonly tools: readonly StartedTool[]
  readonly cycles: readonly (readonly string[])[]
}

export interface ScheduleStatus {
  readonly id: string
  readonly title: string
  readonly interval: unknown
  readonly labels: readonly string[]
  readonly enabled: boolean
  readonly nextAt: string | null
  readonly lastDueAt: string | null
  readonly problem?: string
}

export interface SubscriptionStatus {
  readonly tool: string
  readonly on: readonly {
    readonly schema_name: string
    readonly tag?: string
    readonly description?: string
    readonly context_match?: readonly unknown[]
  }[]
  readonly lag: number
  readonly lagMs: number
  readonly isRunning: boolean
  readonly skipped: number
  readonly isHere: boolean
}

export interface Automation {
  readonly isRunning: boolean
  readonly bootstrap: { readonly isEnabled: boolean; readonly report: BootstrapReport | null }
  readonly services: readonly StartedTool[]
  readonly schedules: { readonly engine: string; readonly items: readonly ScheduleStatus[] }
  readonly subscriptions: readonly SubscriptionStatus[]
  readonly requests: { readonly waiting: number; readonly claimed: number; readonly done: number }
}
