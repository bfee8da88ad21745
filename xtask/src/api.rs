//! The public items of the library crates as text, one line each: `xtask/api/CRATE.txt`. A change to them shows in review.
//!
//! It reads the sources with `syn` and follows `pub mod` and `pub use`. It does not expand macros: their items are not
//! listed.

#![expect(clippy::wildcard_enum_match_arm, reason = "the enums of `syn` are another crate's")]

use quote::ToTokens as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::{
    Attribute, Fields, FnArg, ImplItem, Item, ItemImpl, Pat, Signature, TraitItem, UseTree, Visibility,
};

/// The library crates.
const CRATES: [&str; 14] = [
    "base", "model", "dialects", "rules", "process", "exec", "llm", "engine", "fire", "mcp", "tools",
    "agent", "embed", "lab",
];

/// Returns the path and the text of each listing.
///
/// # Errors
/// Errors if a source file can't be read or parsed.
pub(crate) fn all(root: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let listing = |name: &str| {
        let source = root.join(format!("crates/becket-{name}/src"));
        let mut listing = Listing { methods: BTreeMap::new(), lines: BTreeSet::new() };
        let top = Module::read(&source.join("lib.rs"), &source)?;
        listing.collect_methods(&top);
        listing.list(&top, &top, "");
        let lines: Vec<String> = listing.lines.into_iter().collect();
        Ok((PathBuf::from(format!("xtask/api/becket-{name}.txt")), lines.join("\n") + "\n"))
    };
    CRATES.into_iter().map(listing).collect()
}

/// A module with its own items and its modules.
struct Module {
    items: Vec<Item>,
    children: BTreeMap<String, Module>,
}

impl Module {
    /// Reads a module from its file; `folder` contains the files of its modules.
    fn read(file: &Path, folder: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::of(parsed.items, folder)
    }

    fn of(items: Vec<Item>, folder: &Path) -> Result<Self, String> {
        let mut children = BTreeMap::new();
        for item in &items {
            let Item::Mod(module) = item else { continue };
            if is_test(&module.attrs) {
                continue;
            }
            let name = module.ident.to_string();
            let below = folder.join(&name);
            let files = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
            let child = match (&module.content, files.iter().find(|file| file.exists())) {
                (Some((_, items)), _) => Self::of(items.clone(), &below)?,
                (None, Some(file)) => Self::read(file, &below)?,
                // Its path is for another platform.
                (None, None) => continue,
            };
            children.insert(name, child);
        }
        Ok(Self { items, children })
    }

    /// Returns the module at a path below this one.
    fn find<'a>(&'a self, path: &[String]) -> Option<&'a Module> {
        path.iter().try_fold(self, |module, name| module.children.get(name))
    }
}

/// The lines of one crate.
struct Listing {
    /// Public methods of each type, by its name.
    methods: BTreeMap<String, BTreeSet<String>>,
    lines: BTreeSet<String>,
}

impl Listing {
    fn collect_methods(&mut self, module: &Module) {
        for item in &module.items {
            if let Item::Impl(block) = item
                && block.trait_.is_none()
                && !is_test(&block.attrs)
            {
                self.add_methods(block);
            }
        }
        module.children.values().for_each(|child| self.collect_methods(child));
    }

    fn add_methods(&mut self, block: &ItemImpl) {
        let syn::Type::Path(path) = &*block.self_ty else { return };
        let Some(name) = path.path.segments.last().map(|segment| segment.ident.to_string()) else { return };
        for item in &block.items {
            let line = match item {
                ImplItem::Fn(method) if is_public(&method.vis) => signature(&method.sig),
                ImplItem::Const(constant) if is_public(&constant.vis) => {
                    format!("const {}: {}", constant.ident, text(&constant.ty))
                }
                _ => continue,
            };
            self.methods.entry(name.clone()).or_default().insert(line);
        }
    }

    /// Lists the public items of a module under a path.
    fn list(&mut self, top: &Module, module: &Module, path: &str) {
        for item in &module.items {
            match item {
                Item::Use(used) if is_public(&used.vis) && !is_test(&used.attrs) => {
                    self.list_use(top, module, &used.tree, Use { before: &mut Vec::new(), path });
                }
                Item::Mod(child) if is_public(&child.vis) => {
                    let name = child.ident.to_string();
                    if let Some(child) = module.children.get(&name) {
                        self.list(top, child, &format!("{path}{name}::"));
                    }
                }
                other => self.list_item(other, path, None),
            }
        }
    }

    fn list_use(&mut self, top: &Module, module: &Module, tree: &UseTree, place: Use<'_>) {
        let Use { before, path } = place;
        match tree {
            UseTree::Path(segment) => {
                before.push(segment.ident.to_string());
                self.list_use(top, module, &segment.tree, Use { before, path });
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.list_use(top, module, tree, Use { before, path });
                }
            }
            UseTree::Name(name) => self.list_name(top, module, before, &name.ident.to_string(), path),
            UseTree::Rename(name) => {
                self.lines.insert(format!("{path}{} = {}::{}", name.rename, before.join("::"), name.ident));
            }
            UseTree::Glob(_) => {
                self.lines.insert(format!("{path}* = {}::*", before.join("::")));
            }
        }
    }

    fn list_name(&mut self, top: &Module, module: &Module, before: &[String], name: &str, path: &str) {
        let found = match before.first().map(String::as_str) {
            Some("crate") => top.find(&before[1..]),
            Some("self") => module.find(&before[1..]),
            _ => module.find(before),
        };
        let Some(found) = found else {
            // The item belongs to another crate, or to a private module above.
            self.lines.insert(format!("{path}{name} = {}", before.join("::")));
            return;
        };
        if found.items.iter().any(|item| named(item, name)) {
            found.items.iter().for_each(|item| self.list_item(item, path, Some(name)));
        } else if let Some(child) = found.children.get(name) {
            self.list(top, child, &format!("{path}{name}::"));
        } else if let Some(before) = import_of(found, name) {
            self.list_name(top, found, &before, name, path);
        }
    }

    /// Lists an item, if it is public and has the wanted name.
    fn list_item(&mut self, item: &Item, path: &str, wanted: Option<&str>) {
        if wanted.is_some_and(|wanted| !named(item, wanted)) {
            return;
        }
        match item {
            Item::Struct(item) if is_public(&item.vis) => {
                let open = mark(&item.attrs);
                let generics = text(&item.generics);
                let fields = fields(&item.fields);
                self.add(
                    path,
                    &item.ident.to_string(),
                    format!("{open}struct {}{generics}{fields}", item.ident),
                );
            }
            Item::Enum(item) if is_public(&item.vis) => {
                let variants: Vec<String> = item
                    .variants
                    .iter()
                    .map(|variant| format!("{}{}", variant.ident, variant_fields(&variant.fields)))
                    .collect();
                let line = format!("{}enum {} {{ {} }}", mark(&item.attrs), item.ident, variants.join(", "));
                self.add(path, &item.ident.to_string(), line);
            }
            Item::Trait(item) if is_public(&item.vis) => {
                self.lines.insert(format!("{path}trait {}", item.ident));
                for member in &item.items {
                    if let TraitItem::Fn(method) = member {
                        self.lines.insert(format!("{path}{}::{}", item.ident, signature(&method.sig)));
                    }
                }
            }
            Item::Fn(item) if is_public(&item.vis) => {
                self.lines.insert(format!("{path}{}", signature(&item.sig)));
            }
            Item::Const(item) if is_public(&item.vis) => {
                self.lines.insert(format!("{path}const {}: {}", item.ident, text(&item.ty)));
            }
            Item::Type(item) if is_public(&item.vis) => {
                self.lines.insert(format!("{path}type {} = {}", item.ident, text(&item.ty)));
            }
            _ => {}
        }
    }

    fn add(&mut self, path: &str, name: &str, line: String) {
        self.lines.insert(format!("{path}{line}"));
        let methods = self.methods.get(name).cloned().unwrap_or_default();
        self.lines.extend(methods.into_iter().map(|method| format!("{path}{name}::{method}")));
    }
}

/// The position in a `use` tree.
struct Use<'a> {
    before: &'a mut Vec<String>,
    path: &'a str,
}

/// Returns the path from which a module imports a name.
fn import_of(module: &Module, name: &str) -> Option<Vec<String>> {
    fn search(tree: &UseTree, name: &str) -> Option<Vec<String>> {
        match tree {
            UseTree::Path(segment) => {
                let rest = search(&segment.tree, name)?;
                Some([vec![segment.ident.to_string()], rest].concat())
            }
            UseTree::Group(group) => group.items.iter().find_map(|tree| search(tree, name)),
            UseTree::Name(leaf) => (leaf.ident == name).then(Vec::new),
            UseTree::Rename(_) | UseTree::Glob(_) => None,
        }
    }
    module.items.iter().find_map(|item| match item {
        Item::Use(used) => search(&used.tree, name),
        _ => None,
    })
}

fn named(item: &Item, wanted: &str) -> bool {
    let ident = match item {
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Const(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return false,
    };
    ident == wanted
}

fn fields(fields: &Fields) -> String {
    let shown: Vec<String> = fields
        .iter()
        .filter(|field| is_public(&field.vis))
        .map(|field| match &field.ident {
            Some(name) => format!("{name}: {}", text(&field.ty)),
            None => text(&field.ty),
        })
        .collect();
    let hidden = if shown.len() < fields.len() { "…" } else { "" };
    match (shown.join(", "), hidden) {
        (shown, "") if shown.is_empty() => String::new(),
        (shown, hidden) if shown.is_empty() => format!(" {{ {hidden} }}"),
        (shown, "") => format!(" {{ {shown} }}"),
        (shown, hidden) => format!(" {{ {shown}, {hidden} }}"),
    }
}

fn variant_fields(fields: &Fields) -> String {
    let shown: Vec<String> = fields
        .iter()
        .map(|field| match &field.ident {
            Some(name) => format!("{name}: {}", text(&field.ty)),
            None => text(&field.ty),
        })
        .collect();
    match fields {
        Fields::Named(_) => format!(" {{ {} }}", shown.join(", ")),
        Fields::Unnamed(_) => format!("({})", shown.join(", ")),
        Fields::Unit => String::new(),
    }
}

fn mark(attributes: &[Attribute]) -> &'static str {
    let open = attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
    if open { "#[non_exhaustive] " } else { "" }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.to_token_stream().to_string().starts_with("cfg (test")
    })
}

/// Returns a signature as source text, without details that only concern its body, such as the `mut` of a parameter.
fn signature(signature: &Signature) -> String {
    let mut signature = signature.clone();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) if receiver.reference.is_none() => receiver.mutability = None,
            FnArg::Receiver(_) => {}
            FnArg::Typed(parameter) => {
                if let Pat::Ident(name) = &mut *parameter.pat {
                    name.mutability = None;
                }
            }
        }
    }
    text(&signature)
}

/// Returns tokens as source text.
fn text(tokens: &impl quote::ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (spaced, tight) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" > ", "> "),
        (" >", ">"),
        ("< ", "<"),
        (" ,", ","),
        (" : ", ": "),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (",)", ")"),
        (" ;", ";"),
        ("-> (", "-> ("),
        ("> ,", ">,"),
        (" ::", "::"),
        (":: ", "::"),
    ] {
        text = text.replace(spaced, tight);
    }
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("> )", ">)")
        .replace("> >", ">>")
        .replace("->(", "-> (")
}
