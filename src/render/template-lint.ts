import Handlebars from 'handlebars';
import { didYouMean } from '../util/suggest.ts';
import { blockHelpers, helpers, type TemplateFolder } from './engine.ts';
import type { LintFinding } from './finding.ts';
import type { Name, Names } from './schema.ts';

/** Names that one template uses, with the partials that it includes, and its findings. */
export interface TemplateUse {
  readonly used: ReadonlySet<string>;
  readonly findings: readonly LintFinding[];
}

/** Walks a template's syntax tree and compares every name in it with those that there are. */
export function lintTemplate(templates: TemplateFolder, file: string, names: Names): TemplateUse {
  const report: Report = { templates, used: new Set(), findings: [] };
  lintFile(report, file, [{ names }], []);
  return report;
}

interface Report {
  readonly templates: TemplateFolder;
  readonly used: Set<string>;
  readonly findings: LintFinding[];
}

/** Names in scope. The first scope is the file's; each `#each` adds one whose names are the element's. */
interface Scope {
  /** Absent inside `#each`: elements are plain values and have no fields. */
  readonly names?: Names;
  /** Block parameters, as in `as |i|`. */
  readonly own?: readonly string[];
}

function lintFile(
  report: Report,
  file: string,
  scopes: readonly Scope[],
  including: readonly string[],
): void {
  const text = report.templates.read(file);
  const program = parse(text, file, report.findings);
  if (program) new TemplateLint(report, file, scopes, [...including, file]).accept(program);
}

function parse(text: string, file: string, findings: LintFinding[]): hbs.AST.Program | undefined {
  try {
    return Handlebars.parse(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [first = '', excerpt = '', , expected = ''] = error.message.split('\n');
    const line = Number(/on line (\d+)/.exec(first)?.[1] ?? 1);
    const got = /got '(\w+)'/.exec(expected)?.[1];
    const hint = "; write '{ {' and '} }' for nested braces of C++";
    const message = excerpt
      ? `does not parse near \`${excerpt.trim()}\`${got ? ` (unexpected ${got})` : ''}${hint}`
      : `does not parse: ${error.message}`;
    findings.push({ file, line, column: 1, message });
    return undefined;
  }
}

const elementData = ['index', 'first', 'last', 'key'];

class TemplateLint extends Handlebars.Visitor {
  readonly #report: Report;
  readonly #file: string;
  readonly #including: readonly string[];
  #scopes: readonly Scope[];

  constructor(report: Report, file: string, scopes: readonly Scope[], including: readonly string[]) {
    super();
    this.#report = report;
    this.#file = file;
    this.#scopes = scopes;
    this.#including = including;
  }

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    if (!node.escaped) this.#find(node, "write '{{name}}': nothing is escaped here, so '{{{' is not needed");
    if (isPath(node.path) && (node.params.length > 0 || Object.hasOwn(helpers, node.path.original))) {
      this.#call(node, node.path, node.params, Object.keys(helpers));
    } else this.accept(node.path);
  }

  override SubExpression(node: hbs.AST.SubExpression): void {
    this.#call(node, node.path, node.params, Object.keys(helpers));
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    this.#call(node, node.path, node.params, blockHelpers);
    const own = node.program?.blockParams ?? [];
    const loop = node.path.original === 'each';
    this.#within(loop ? { own } : undefined, () => this.accept(node.program));
    if (node.inverse) this.accept(node.inverse);
  }

  override PathExpression(path: hbs.AST.PathExpression): void {
    const [first, ...rest] = path.parts;
    if (path.data) {
      this.#data(path);
      return;
    }
    const own = path.depth === 0 && this.#scopes.some((scope) => scope.own?.includes(first ?? ''));
    if (own && rest.length === 0) return;
    const scope = this.#scopes.at(-1 - path.depth);
    if (!scope) {
      this.#find(path, `'${path.original}' goes above the template's top`);
      return;
    }
    if (first === undefined) {
      if (scope.names)
        this.#find(path, `'${path.original}' is the whole context here; name one of its values`);
    } else if (rest.length > 0) this.#find(path, `'${path.original}': values are plain and have no fields`);
    else if (scope.names) this.#name(path, first, scope.names);
    else this.#find(path, `inside #each, '${first}' would be a field of the element${this.#outer(first)}`);
  }

  override PartialStatement(node: hbs.AST.PartialStatement): void {
    const { partials } = this.#report.templates;
    if (!isPath(node.name)) {
      this.#find(node, 'name the partial itself: its name may not be computed');
      return;
    }
    const name = node.name.original;
    if (node.params.length > 0)
      this.#find(node, `give partials what they need by name: {{> ${name} key=value}}`);
    const pairs = node.hash?.pairs ?? [];
    for (const { value } of pairs) this.accept(value);
    if (!partials.includes(name)) {
      const there =
        partials.length > 0 ? `there are ${partials.join(', ')}` : 'the folder has no partials/*.hbs';
      this.#find(node, `unknown partial '${name}'; ${there}${didYouMean(name, partials)}`);
      return;
    }
    const file = this.#report.templates.partialFile(name);
    if (this.#including.includes(file)) {
      this.#find(node, `partial '${name}' includes itself`);
      return;
    }
    const given = new Map<string, Name>(pairs.map(({ key }) => [key, {}]));
    const outer = this.#scopes.at(-1)?.names ?? new Map<string, Name>();
    // A partial does not see block parameters of its caller, nor anything above its own context.
    lintFile(this.#report, file, [{ names: new Map([...outer, ...given]) }], this.#including);
  }

  override PartialBlockStatement(node: hbs.AST.PartialBlockStatement): void {
    this.#find(node, 'partial blocks are not used here: include a plain partial, {{> name}}');
  }

  override Decorator(node: hbs.AST.Decorator): void {
    this.#find(node, 'decorators are not used here');
  }

  override DecoratorBlock(node: hbs.AST.DecoratorBlock): void {
    this.#find(node, 'inline partials are not used here: put the text into partials/<name>.hbs');
  }

  #name(path: hbs.AST.PathExpression, name: string, names: Names): void {
    const known = names.get(name);
    this.#report.used.add(name);
    if (!known) this.#find(path, `unknown name '${name}'${didYouMean(name, names.keys())}`);
    else if (known.partial) {
      this.#find(path, `derive() gives '${name}' for some variants of this template only; give it for all`);
    }
  }

  #data(path: hbs.AST.PathExpression): void {
    const [first = '', name] = path.parts;
    const top = this.#scopes[0]?.names;
    if (first === 'root' && name !== undefined && top) {
      this.#name(path, name, top);
      return;
    }
    const looping = this.#scopes.some((scope) => !scope.names);
    if (looping && elementData.includes(first)) return;
    const where = looping ? '' : ' outside #each';
    this.#find(path, `there is no '${path.original}'${where}`);
  }

  #call(
    node: hbs.AST.Node,
    path: hbs.AST.Expression,
    params: hbs.AST.Expression[],
    allowed: readonly string[],
  ): void {
    const name = isPath(path) ? path.original : '';
    const known = Object.entries(helpers).find(([helper]) => helper === name)?.[1];
    const { least, most } = known ?? { least: 1, most: 1 };
    if (!allowed.includes(name)) {
      this.#find(
        node,
        `unknown helper '${name}'; there are ${allowed.join(', ')}${didYouMean(name, allowed)}`,
      );
    } else if (params.length < least || params.length > most) {
      const wanted = most === Infinity ? `at least ${least}` : `${least}`;
      this.#find(
        node,
        `'${name}' takes ${wanted} argument${least === 1 ? '' : 's'}, it has ${params.length}`,
      );
    }
    for (const param of params) this.accept(param);
    if (name === 'eq') this.#comparison(params);
    if (name === 'each' && params[0] && !isCallOf(params[0], 'range')) {
      this.#find(params[0], '#each needs a list, and values are plain: write {{#each (range n) as |i|}}');
    }
  }

  /** `(eq path "mmma")` is false for ever: compare with what the parameter can be. */
  #comparison(params: hbs.AST.Expression[]): void {
    const path = params.find(isPath);
    const constant = params.find(isLiteral);
    const values = path && this.#scopes.at(-1 - path.depth)?.names?.get(path.parts[0] ?? '')?.values;
    if (!constant || !values || values.includes(constant.value)) return;
    const written = JSON.stringify(constant.value);
    const all = values.map((value) => JSON.stringify(value)).join(', ');
    this.#find(constant, `${path.original}: ${written} is not allowed; choose from ${all}`);
  }

  #outer(name: string): string {
    const depth = [...this.#scopes].reverse().findIndex((scope) => scope.names?.has(name));
    return depth > 0 ? `; write '${'../'.repeat(depth)}${name}'` : '';
  }

  #within(scope: Scope | undefined, walk: () => void): void {
    const outer = this.#scopes;
    if (scope) this.#scopes = [...outer, scope];
    walk();
    this.#scopes = outer;
  }

  #find(node: hbs.AST.Node, message: string): void {
    const { line, column } = node.loc.start;
    this.#report.findings.push({ file: this.#file, line, column: column + 1, message });
  }
}

function isPath(node: hbs.AST.Node): node is hbs.AST.PathExpression {
  return node.type === 'PathExpression';
}

function isLiteral(
  node: hbs.AST.Node,
): node is hbs.AST.StringLiteral | hbs.AST.NumberLiteral | hbs.AST.BooleanLiteral {
  return ['StringLiteral', 'NumberLiteral', 'BooleanLiteral'].includes(node.type);
}

function isCallOf(node: hbs.AST.Node, helper: string): boolean {
  return node.type === 'SubExpression' && (node as hbs.AST.SubExpression).path.original === helper;
}
