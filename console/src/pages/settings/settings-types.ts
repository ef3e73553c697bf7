// GET /api/tools/{id}/config, as the console reads it.

export interface SettingsField {
  readonly key: string
  readonly label: string
  readonly type: 'string' | 'number' | 'boolean' | 'secret' | 'json'
  readonly ui_type?: string
  readonly description?: string
  readonly default_value?: unknown
  readonly required?: boolean
  readonly placeholder?: string
  readonly help_text?: string
  readonly min?: number
  readonly max?: number
  readonly step?: number
  readonly validation?: { readonly pattern?: string }
  readonly choices?: readonly { readonly value: unknown; readonly label: string }[]
  readonly choices_error?: string
}

export interface ToolSettingsAnswer {
  readonly tool: string
  readonly message: string | null
  readonly description?: string
  readonly fields: readonly SettingsField[]
  readonly values: { readonly [key: string]: unknown }
  readonly saved: { readonly [key: string]: unknown } | null
  readonly version: number | null
  readonly last_updated: string | null
}
