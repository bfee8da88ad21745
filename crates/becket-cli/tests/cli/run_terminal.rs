//! A session at a real terminal, used as a person would: tmux presses the keys and reads the screen.

mod asking;
mod basics;
mod dumb;
mod ends;
mod hooks;
mod permission;
mod place;
mod trust;
mod width;
