// The path is a placeholder until the module is published: docs/release.md.
module example.com/tickreel

go 1.19
