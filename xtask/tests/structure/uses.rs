//! The modules of a crate that a source file uses, by its paths.

use std::collections::BTreeSet;
use syn::visit::{self, Visit};

/// Returns the top-level modules of the crate that the code of a file names, through `crate::…` and `super::…`, outside of
/// tests. `module` is the path of the file's own module.
pub(crate) fn top_level_uses(source: &str, module: &[String]) -> BTreeSet<String> {
    let file = syn::parse_file(source).unwrap();
    let mut paths = Paths { module: module.to_vec(), found: BTreeSet::new() };
    paths.visit_file(&file);
    paths.found
}

struct Paths {
    module: Vec<String>,
    found: BTreeSet<String>,
}

impl Paths {
    /// Takes the segments of a path that starts at the crate or climbs out of a module.
    fn add(&mut self, segments: &[String]) {
        let climbs = segments.iter().take_while(|segment| *segment == "super").count();
        let absolute: Vec<&String> = match segments.first().map(String::as_str) {
            Some("crate") => segments.iter().skip(1).collect(),
            Some("super") if climbs <= self.module.len() => {
                self.module[..self.module.len() - climbs].iter().chain(&segments[climbs..]).collect()
            }
            Some(_) | None => return,
        };
        self.found.extend(absolute.first().map(|first| (*first).clone()));
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

    /// Macros are not expanded; their tokens are searched for `crate :: name`.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("crate ::") {
            rest = rest[at + "crate ::".len()..].trim_start();
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if !name.is_empty() {
                self.add(&["crate".to_owned(), name]);
            }
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
    let found = top_level_uses(source, &module);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "folder"]);
}
