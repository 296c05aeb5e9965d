/// Commands about settings, users and tokens: `check`, `config`, `reload`, `user`, `token`, `address`,
/// `import-postfix`.
package org.slipstream.cli.setup;
