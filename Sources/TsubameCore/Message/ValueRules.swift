// ValueRules: how the client that sends or receives a message turns values into bodies, and bodies into values.

/// A client's rules for values in bodies, such as its coding of JSON. Requests and responses carry them to the code that
/// encodes and decodes values. This module does not look inside.
package protocol ValueRules: Sendable {}
