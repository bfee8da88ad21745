//! The modules of a crate that a source file uses, by its paths.

use std::collections::BTreeSet;
use syn::visit::{self, Visit};

/// Returns the children of the module `parent` that the code of a file names, through `crate::…` and `super::…`, outside of
/// tests. `module` is the path of the file's own module; both start below the crate's root.
pub(crate) fn child_uses(source: &str, module: &[String], parent: &[String]) -> BTreeSet<String> {
    let file = syn::parse_file(source).unwrap();
    let mut paths = Paths { module: module.to_vec(), parent: parent.to_vec(), found: BTreeSet::new() };
    paths.visit_file(&file);
    paths.found
}

struct Paths {
    module: Vec<String>,
    parent: Vec<String>,
    found: BTreeSet<String>,
}

impl Paths {
    /// Adds the segments of a path that starts at the crate or climbs out of a module.
    fn add(&mut self, segments: &[String]) {
        let climbs = segments.iter().take_while(|segment| *segment == "super").count();
        let absolute: Vec<String> = match segments.first().map(String::as_str) {
            Some("crate") => segments[1..].to_vec(),
            Some("super") if climbs <= self.module.len() => {
                [&self.module[..self.module.len() - climbs], &segments[climbs..]].concat()
            }
            Some(_) | None => return,
        };
        let below = absolute.strip_prefix(&*self.parent);
        self.found.extend(below.and_then(|below| below.first()).cloned());
    }

    fn add_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_tree(tree, before);
                }
            }
            syn::UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.add(before);
                before.pop();
            }
            syn::UseTree::Rename(rename) => {
                before.push(rename.ident.to_string());
                self.add(before);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.add(before),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_none() || is_test(&item.attrs) {
            return;
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.add_tree(&item.tree, &mut Vec::new());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&segments);
        visit::visit_path(self, path);
    }

    /// Macros are not expanded; their tokens are searched for paths that start with `crate`.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("crate ::") {
            let path = rest[at..].split(|c: char| !(c.is_alphanumeric() || "_: ".contains(c))).next();
            let path = path.unwrap_or_default();
            self.add(&path.split("::").map(|name| name.trim().to_owned()).collect::<Vec<_>>());
            rest = &rest[at + "crate ::".len()..];
        }
    }
}

/// Returns whether an item is compiled for tests alone.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => {
            let tokens = list.tokens.to_string();
            list.path.is_ident("cfg") && (tokens == "test" || tokens.starts_with("all (test"))
        }
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => false,
    })
}

#[test]
fn paths_are_found_in_uses_code_and_macros() {
    let source = r#"
        use crate::{a::X, b};
        use super::super::c::Y;
        #[cfg(test)]
        use crate::not_this;
        fn f() { let _ = crate::d::g(); println!("{}", crate::e::H); }
        mod inner { use super::sibling::Z; }
        #[cfg(test)]
        mod tests { use crate::not_that::W; }
    "#;
    let module = ["folder".to_owned(), "file".to_owned()];
    let found = child_uses(source, &module, &[]);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "folder"]);
    let found = child_uses(source, &module, &module);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["sibling"]);
    let found = child_uses(source, &module, &["e".to_owned()]);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["H"]);
}
