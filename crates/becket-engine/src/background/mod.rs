//! Hooks that go on after their event (A1–A5).
