// The files under deploy/ say what the program understands: parsed, checked against the shapes their readers ask for,
// and held against the settings and flags there are.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { configFromEnv } from '../../src/config/config-from-env.ts'
import { compileSchema } from '../../src/tool/schema/compile-schema.ts'

const read = (path: string): string => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8')

const name = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$', maxLength: 253 }
const labels = { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } }
const selector = {
  type: 'object',
  required: ['matchLabels'],
  additionalProperties: false,
  properties: { matchLabels: labels },
}
const count = { type: 'integer', minimum: 0 }
const env = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    value: { type: 'string' },
    valueFrom: { type: 'object', minProperties: 1, maxProperties: 1 },
  },
}
const probe = {
  type: 'object',
  additionalProperties: false,
  properties: {
    httpGet: { type: 'object', required: ['port'] },
    exec: { type: 'object', required: ['command'] },
    periodSeconds: count,
    timeoutSeconds: count,
    failureThreshold: count,
    initialDelaySeconds: count,
  },
}
const container = {
  type: 'object',
  required: ['name', 'image'],
  additionalProperties: false,
  properties: {
    name,
    image: { type: 'string', pattern: '^[^:]+:[^:]+$' },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        required: ['containerPort'],
        properties: {
          name: { type: 'string', maxLength: 15 },
          containerPort: { type: 'integer', maximum: 65535 },
        },
      },
    },
    env: { type: 'array', items: env },
    livenessProbe: probe,
    readinessProbe: probe,
    resources: {
      type: 'object',
      additionalProperties: false,
      properties: { requests: labels, limits: labels },
    },
    volumeMounts: { type: 'array', items: { type: 'object', required: ['name', 'mountPath'] } },
    securityContext: { type: 'object' },
  },
}
const specs: { [kind: string]: { version: string; body: object } } = {
  Deployment: {
    version: 'apps/v1',
    body: {
      type: 'object',
      required: ['selector', 'template'],
      additionalProperties: false,
      properties: {
        replicas: count,
        selector,
        strategy: { type: 'object' },
        template: {
          type: 'object',
          required: ['metadata', 'spec'],
          properties: {
            spec: {
              type: 'object',
              required: ['containers'],
              additionalProperties: false,
              properties: {
                containers: { type: 'array', minItems: 1, items: container },
                volumes: { type: 'array', items: { type: 'object', required: ['name'] } },
                terminationGracePeriodSeconds: count,
                automountServiceAccountToken: { type: 'boolean' },
                securityContext: { type: 'object' },
              },
            },
          },
        },
      },
    },
  },
  Service: {
    version: 'v1',
    body: {
      type: 'object',
      required: ['selector', 'ports'],
      properties: {
        selector: labels,
        ports: { type: 'array', items: { type: 'object', required: ['port'] } },
      },
    },
  },
  PodDisruptionBudget: {
    version: 'policy/v1',
    body: { type: 'object', required: ['selector'], properties: { selector, maxUnavailable: count } },
  },
  HorizontalPodAutoscaler: {
    version: 'autoscaling/v2',
    body: {
      type: 'object',
      required: ['scaleTargetRef', 'maxReplicas'],
      properties: {
        minReplicas: count,
        maxReplicas: count,
        metrics: { type: 'array', items: { type: 'object', required: ['type'] } },
      },
    },
  },
}

// biome-ignore lint/suspicious/noExplicitAny: what YAML holds is what these tests find out.
type Loose = any

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec: Loose
}
const manifests = parseAllDocuments(read('kubernetes/toolcrib.yaml')).map((document) => {
  expect(document.errors).toEqual([])
  return document.toJS() as Manifest
})
const kindOf = (kind: string): Manifest => manifests.find((one) => one.kind === kind)!

function settingsIn(environment: readonly string[]): string[] {
  const others = new Set(['TOOLCRIB_NODE_TOKEN', 'TOOLCRIB_SECRETS_KEY', 'TOOLCRIB_TRUST_FOLDER'])
  return environment.filter((key) => key.startsWith('TOOLCRIB_') && !others.has(key))
}

describe('the Kubernetes manifests', () => {
  it.each(manifests.map((one) => [one.kind, one] as const))(
    '%s has the shape its API asks for',
    (kind, manifest) => {
      expect(manifest.metadata.name).toMatch(/^[a-z0-9-]+$/)
      const expected = specs[kind]!
      expect(manifest.apiVersion).toBe(expected.version)
      const validator = compileSchema(expected.body as never, { fillDefaults: false })
      expect(validator.violations(manifest.spec)).toEqual([])
    },
  )

  it('select the pods they make', () => {
    const { template, selector: own } = kindOf('Deployment').spec
    for (const labelled of [
      own.matchLabels,
      kindOf('Service').spec.selector,
      kindOf('PodDisruptionBudget').spec.selector.matchLabels,
    ])
      expect(template.metadata.labels).toMatchObject(labelled)
    expect(kindOf('HorizontalPodAutoscaler').spec.scaleTargetRef).toMatchObject({
      kind: 'Deployment',
      name: 'toolcrib',
    })
  })

  it('set only what the program reads', () => {
    const given = kindOf('Deployment').spec.template.spec.containers[0].env.map(
      (one: { name: string }) => one.name,
    )
    const keys = settingsIn(given)
    expect(configFromEnv(Object.fromEntries(keys.map((key) => [key, 'x'])))).toHaveLength(keys.length)
  })
})

it('the image copies files there are, and asks with them whether it is well', () => {
  const text = read('Dockerfile')
  const [, source, target] = /^COPY (deploy\S+) (\S+)$/m.exec(text)!
  expect(read(`../${source}`)).toContain('/readyz')
  expect(text).toContain(`CMD ["node", "${target}"]`)
  expect(text.indexOf('USER crib')).toBeLessThan(text.indexOf('ENTRYPOINT'))
})

describe('the compose file', () => {
  const compose = parse(read('compose/compose.yaml'), { merge: true }) as {
    services: { [name: string]: Loose }
    volumes: object
  }

  it('has a store, a bus, three nodes and a balancer that knows them', () => {
    const nodes = Object.keys(compose.services).filter((service) => service.startsWith('node-'))
    expect(nodes).toHaveLength(3)
    for (const node of nodes) {
      expect(read('compose/nginx.conf')).toContain(`server ${node}:4747`)
      const { environment, depends_on } = compose.services[node]
      for (const needed of Object.keys(depends_on)) expect(compose.services).toHaveProperty(needed)
      const keys = settingsIn(Object.keys(environment))
      expect(configFromEnv(Object.fromEntries(keys.map((key) => [key, 'x'])))).toHaveLength(keys.length)
    }
    expect(compose.services['balancer'].depends_on).toEqual(nodes)
  })

  it('lets its nodes fence tools, gives them no rights, and wants the fence', () => {
    for (const service of ['node-1', 'node-2', 'node-3']) {
      const { cap_drop, security_opt, environment } = compose.services[service]
      expect(cap_drop).toEqual(['ALL'])
      expect(security_opt).toEqual([
        'no-new-privileges',
        'seccomp=unconfined',
        'apparmor=unconfined',
        'systempaths=unconfined',
      ])
      expect(environment['TOOLCRIB_SANDBOX']).toBe('required')
    }
  })

  it('keeps its secrets out of git and out of the image', () => {
    const lines = (path: string) => read(path).split('\n')
    expect(lines('../.gitignore')).toContain('deploy/compose/.env')
    expect(lines('../.dockerignore')).toEqual(
      expect.arrayContaining(['.git', 'node_modules', 'dist', '**/.env']),
    )
  })

  it('holds no secret, and its example names every one that is asked for', () => {
    const asked = [...read('compose/compose.yaml').matchAll(/\$\{([A-Z_]+):\?/g)].map((match) => match[1])
    for (const key of asked) expect(read('compose/env.example')).toMatch(new RegExp(`^${key}=$`, 'm'))
  })
})

it('the systemd unit stops a node as gently as the program allows and gives it only its folder', () => {
  const unit = read('systemd/toolcrib.service')
  const lines = Object.fromEntries(
    unit
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  expect(lines).toMatchObject({
    KillSignal: 'SIGTERM',
    Restart: 'always',
    ProtectSystem: 'strict',
    WantedBy: 'multi-user.target',
  })
  expect(Number(lines['TimeoutStopSec'])).toBeGreaterThan(5)
})
