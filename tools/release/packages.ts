import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a check of an installed package gets. */
interface Place {
  /** An empty folder. */
  readonly folder: string;
  /** The file that was built. */
  readonly file: string;
  /** A service that has one job, whose id is `JOB`. */
  readonly serviceUrl: string;
}

/** One package of a release. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** Builds the file to publish into a folder. */
  build(folder: string): Promise<string>;
  /** Installs the file and runs what was installed. Rejects if that does not work. */
  tryOut(place: Place): Promise<void>;
  /** Publishes the file. */
  readonly publish: (file: string) => string;
}

export const JOB = '3f0f8a52-6c1e-4d7b-9a64-1d2b8c5e7f90';

/** Runs a program, and rejects with all that it wrote if it fails. */
async function run(
  cwd: string,
  [program = '', ...args]: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { PATH = '', HOME, TMPDIR, GOCACHE } = process.env;
  // The Node of this program, which may not be the first on the PATH.
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, HOME, TMPDIR, GOCACHE, ...more };
  return promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    (error) => {
      throw new Error(`${program} ${args.join(' ')} in ${cwd} failed:\n${error.stdout ?? ''}${error.stderr ?? error}`);
    },
  );
}

export const readChangelog = (): string => read('CHANGELOG.md');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const versionIn = (folder: string): string => JSON.parse(read(`${folder}/package.json`)).version;
/** The version of a release. */
export const VERSION = versionIn('.');
const INSTALL = ['npm', 'install', '--no-audit', '--no-fund'];

async function pack(workspace: string, folder: string): Promise<string> {
  await run(ROOT, ['npm', 'run', 'build', '-w', JSON.parse(read(`packages/${workspace}/package.json`)).name]);
  const args = ['npm', 'pack', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(await run(join(ROOT, 'packages', workspace, 'dist'), args));
  return join(folder, filename);
}

/** Checks that a program prints the id of the service's job. */
async function finds(folder: string, serviceUrl: string, command: readonly string[], more = {}): Promise<void> {
  const out = await run(folder, command, { TICKREEL_URL: serviceUrl, TICKREEL_API_KEY: 'tr_met_1', ...more });
  if (!out.includes(JOB)) throw new Error(`${command.join(' ')} printed no job: ${out}`);
}

const client: Package = {
  name: 'tickreel for npm',
  version: versionIn('packages/client'),
  build: (folder) => pack('client', folder),
  async tryOut({ folder, file, serviceUrl }) {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    await run(folder, [...INSTALL, '--offline', file]);
    const said = await run(folder, ['node_modules/.bin/tickreel', '--version']);
    if (said.trim() !== VERSION) throw new Error(`tickreel --version printed ${said}`);
    await finds(folder, serviceUrl, ['node_modules/.bin/tickreel', 'jobs', 'list']);
    const program = `import { createTickreel } from 'tickreel';
      for await (const job of createTickreel().jobs.list()) console.log(job.id);`;
    await finds(folder, serviceUrl, ['node', '--input-type=module', '-e', program]);
  },
  publish: (file) => `npm publish ${file} --access public`,
};

const host: Package = {
  name: '@tickreel/render-host for npm',
  version: versionIn('packages/render-host'),
  build: (folder) => pack('render-host', folder),
  async tryOut({ folder, file, serviceUrl }) {
    writeFileSync(join(folder, 'package.json'), '{}');
    // Its dependencies come from npm's cache, or from its registry.
    await run(folder, [...INSTALL, '--prefer-offline', file]);
    await run(folder, ['node_modules/.bin/tickreel-relay', '--help']);
    const env = { TICKREEL_URL: serviceUrl, TICKREEL_HOST_TOKEN: 'tr_host_1', TICKREEL_WORK_DIR: join(folder, 'work') };
    // Without a service of its own the host is not ready, but the clip has to be made.
    const doctor = run(folder, ['node_modules/.bin/tickreel-host', 'doctor', '--record'], env);
    const said = await doctor.catch((error: Error) => error.message);
    if (!/^ok +test clip/m.test(said)) throw new Error(`the render host made no clip:\n${said}`);
  },
  publish: (file) => `npm publish ${file} --access public`,
};

/** Returns a Python that can build a wheel. */
async function builder(): Promise<string> {
  for (const python of ['python3', '/usr/bin/python3']) {
    const found = run(ROOT, [python, '-c', 'import build, setuptools, wheel, ensurepip']);
    if (await found.then(() => true).catch(() => false)) return python;
  }
  throw new Error('No Python can build a wheel: apt-get install python3-build python3-setuptools python3-venv');
}

const wheel: Package = {
  name: 'tickreel for Python',
  version: /^__version__ = "(.+)"$/m.exec(read('packages/python/tickreel/_version.py'))?.[1] ?? '',
  async build(folder) {
    // Beside the sources, setuptools would leave folders of its own.
    const source = join(folder, 'python');
    cpSync(join(ROOT, 'packages/python'), source, { recursive: true });
    await run(source, [await builder(), '-m', 'build', '--no-isolation', '--wheel', '--outdir', folder, '.']);
    return join(folder, `tickreel-${VERSION}-py3-none-any.whl`);
  },
  async tryOut({ folder, file, serviceUrl }) {
    await run(folder, [await builder(), '-m', 'venv', 'venv']);
    await run(folder, ['venv/bin/pip', 'install', '--no-index', '--quiet', file]);
    const program = 'from tickreel import Tickreel\nfor job in Tickreel().jobs.list(): print(job)';
    await finds(folder, serviceUrl, ['venv/bin/python', '-c', program]);
  },
  publish: (file) => `twine upload ${file}`,
};

const GO_MOD = read('packages/go/go.mod');
/** The path of the Go module. */
export const MODULE = /^module (\S+)$/m.exec(GO_MOD)?.[1] ?? '';

/** Writes an archive with the files of a folder, without entries for folders, as Go wants it. */
const ZIP_FILES = `import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in os.walk(sys.argv[2]):
        for name in names:
            archive.write(os.path.join(folder, name))`;

const goModule: Package = {
  name: 'tickreel for Go',
  // The version of a Go module is its tag.
  version: VERSION,
  async build(folder) {
    const at = `${MODULE}@v${VERSION}`;
    cpSync(join(ROOT, 'packages/go'), join(folder, at), { recursive: true });
    copyFileSync(join(ROOT, 'LICENSE'), join(folder, at, 'LICENSE'));
    const file = join(folder, `v${VERSION}.zip`);
    await run(folder, [await builder(), '-c', ZIP_FILES, file, at]);
    return file;
  },
  async tryOut({ folder, file, serviceUrl }) {
    // A folder with the files that a module proxy answers with.
    const versions = join(folder, 'proxy', MODULE, '@v');
    mkdirSync(versions, { recursive: true });
    copyFileSync(file, join(versions, basename(file)));
    writeFileSync(join(versions, `v${VERSION}.mod`), GO_MOD);
    writeFileSync(join(versions, `v${VERSION}.info`), JSON.stringify({ Version: `v${VERSION}` }));
    writeFileSync(join(versions, 'list'), `v${VERSION}\n`);
    mkdirSync(join(folder, 'program'));
    const program = `package main
      import ("context"; "fmt"; "${MODULE}")
      func main() {
        client, err := tickreel.New()
        if err != nil { panic(err) }
        jobs := client.Jobs.List(context.Background(), tickreel.ListJobsQuery{})
        for jobs.Next() { fmt.Println(jobs.Item().ID) }
        if jobs.Err() != nil { panic(jobs.Err()) }
      }`;
    writeFileSync(join(folder, 'program/main.go'), program);
    const env = {
      ...{ GOPROXY: `file://${folder}/proxy`, GOSUMDB: 'off' },
      ...{ GOPATH: join(folder, 'go'), GOFLAGS: '-modcacherw' },
    };
    await run(join(folder, 'program'), ['go', 'mod', 'init', 'example.com/program'], env);
    await run(join(folder, 'program'), ['go', 'get', `${MODULE}@v${VERSION}`], env);
    await finds(join(folder, 'program'), serviceUrl, ['go', 'run', '.'], env);
  },
  publish: () => `git tag packages/go/v${VERSION} && git push origin packages/go/v${VERSION}`,
};

export const PACKAGES: readonly Package[] = [client, host, wheel, goModule];
