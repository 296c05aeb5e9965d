/// `mta.toml`: its keys in one table ([Keys]), the reader that tells every mistake at once ([ConfigReader]), and what it
/// becomes ([Config]).
package org.slipstream.server.config;
