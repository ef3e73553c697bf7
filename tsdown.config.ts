import { defineConfig } from 'tsdown'

export default defineConfig({
  entry: ['src/index.ts', 'src/cli.ts', 'src/skill.ts', 'src/exports.ts'],
  format: 'esm',
  platform: 'node',
  target: 'node20',
  dts: true,
  clean: true,
  fixedExtension: false,
  logLevel: 'warn',
  inputOptions: { checks: { pluginTimings: false } },
})
