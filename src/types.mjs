// Writes the types of the library into dist/types: those that `src/index.ts` leads to. Types of
// schemas are written out as plain shapes, so that no other package has to be installed for them.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SCHEMAS = 'typebox';
const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'dist/types');

const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram([join(root, 'src/index.ts')], { ...options, outDir: folder });
const checker = program.getTypeChecker();

/** @type {Map<string, string>} */
const texts = new Map();
const { diagnostics } = program.emit(
  undefined,
  (path, text) => texts.set(path, text),
  undefined,
  true,
  { afterDeclarations: [withoutSchemas] },
);
if (diagnostics.length > 0) {
  throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
}
await rm(folder, { recursive: true, force: true });
for (const path of reachedFrom(join(folder, 'index.d.ts'))) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, /** @type {string} */ (texts.get(path)));
}

/**
 * Writes a type that is taken from a schema as the shape that it is, and leaves the schemas out.
 *
 * @param {ts.TransformationContext} context
 * @returns {ts.CustomTransformer}
 */
function withoutSchemas({ factory }) {
  const transformSourceFile = (/** @type {ts.SourceFile} */ file) => {
    const names = namesOfSchemas(file);
    if (names.size === 0) return file;
    const schemas = file.statements.filter((statement) => mentions(statement, names));
    const statements = file.statements.flatMap((statement) => {
      if (!schemas.includes(statement)) return statement;
      if (!ts.isTypeAliasDeclaration(statement)) return [];
      const { modifiers, name, typeParameters } = statement;
      const type = factory.updateTypeAliasDeclaration(
        statement,
        modifiers,
        name,
        typeParameters,
        shapeOf(statement),
      );
      const comment = schemas.filter((schema) => isNamed(schema, name.text)).flatMap(commentsOf)[0];
      return comment === undefined
        ? type
        : ts.addSyntheticLeadingComment(type, comment.kind, comment.text, true);
    });
    return factory.updateSourceFile(file, statements);
  };
  return { transformSourceFile, transformBundle: (bundle) => bundle };
}

/** What a file imports of the package of schemas. @param {ts.SourceFile} file */
function namesOfSchemas(file) {
  const imports = file.statements
    .filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => moduleSpecifier.getText().slice(1, -1) === SCHEMAS);
  return new Set(
    imports.flatMap(({ importClause }) => {
      const bindings = /** @type {ts.NamedImports} */ (importClause?.namedBindings);
      return bindings.elements.map(({ name }) => name.text);
    }),
  );
}

/** @param {ts.Node} node @param {ReadonlySet<string>} names @returns {boolean} */
function mentions(node, names) {
  if (ts.isIdentifier(node) && names.has(node.text)) return true;
  return ts.forEachChild(node, (child) => mentions(child, names)) ?? false;
}

/** @param {ts.TypeAliasDeclaration} alias @returns {ts.TypeNode} */
function shapeOf(alias) {
  const { name } = /** @type {ts.TypeAliasDeclaration} */ (ts.getOriginalNode(alias));
  const { InTypeAlias, MultilineObjectLiterals, NoTruncation } = ts.NodeBuilderFlags;
  const shape = checker.typeToTypeNode(
    checker.getTypeAtLocation(name),
    undefined,
    InTypeAlias | MultilineObjectLiterals | NoTruncation,
  );
  if (shape === undefined) throw new Error(`no shape of the type ${name.text}`);
  return shape;
}

/** Whether it declares a value of that name. @param {ts.Statement} statement @param {string} name */
function isNamed(statement, name) {
  if (!ts.isVariableStatement(statement)) return false;
  return statement.declarationList.declarations.some((each) => each.name.getText() === name);
}

/** What is written above a declaration. @param {ts.Node} node */
function commentsOf(node) {
  const original = ts.getOriginalNode(node);
  const { text } = original.getSourceFile();
  return (ts.getLeadingCommentRanges(text, original.pos) ?? [])
    .filter(({ kind }) => kind === ts.SyntaxKind.MultiLineCommentTrivia)
    .map(({ kind, pos, end }) => ({ kind, text: text.slice(pos + 2, end - 2) }));
}

/** @param {string} index @returns {ReadonlySet<string>} */
function reachedFrom(index) {
  const reached = new Set([index]);
  for (const path of reached) {
    for (const { fileName } of ts.preProcessFile(texts.get(path) ?? '').importedFiles) {
      if (!fileName.startsWith('.')) throw new Error(`${path} has types of ${fileName}`);
      reached.add(join(dirname(path), fileName.replace(/\.js$/, '.d.ts')));
    }
  }
  return reached;
}
