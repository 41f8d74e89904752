// ClientValueRules: a client's settings for values in the bodies of its messages.

import TsubameCore
import TsubameWire

struct ClientValueRules: ValueRules {
    let json: JSONCoding
    /// The charset of a text that names none; nil for UTF-8.
    let charset: Charset?
}

extension Configuration {
    var valueRules: ClientValueRules { ClientValueRules(json: json, charset: defaultCharset) }
}

extension ValueRules? {
    /// The client's coding of JSON, or the standard one.
    var json: JSONCoding { (self as? ClientValueRules)?.json ?? .standard }

    /// The client's charset of a text that names none; nil for UTF-8.
    var charset: Charset? { (self as? ClientValueRules)?.charset }
}
