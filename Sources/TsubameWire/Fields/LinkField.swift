// LinkField: the targets in the field Link (RFC 8288).

/// Reads the field Link as leniently as RFC 8288 appendix B says: a link that cannot be read is skipped.
package enum LinkField {
    /// The target of the first link with this relation, as it is written; nil if there is none.
    /// - Parameters:
    ///   - relation: the relation in lower case, such as `next`.
    ///   - fields: the values of all Link fields.
    package static func target(of relation: String, in fields: [String]) -> String? {
        for field in fields {
            var rest = Array(field.utf8)[...]
            while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
                guard let close = rest[open...].firstIndex(of: UInt8(ascii: ">")) else { break }
                let target = rest[(open + 1)..<close]
                rest = rest[(close + 1)...]
                let relations = relations(&rest)
                if relations.contains(relation) { return String(decoding: target, as: UTF8.self) }
            }
        }
        return nil
    }

    /// Reads the parameters of one link up to its comma, and returns the relations that the first `rel` names.
    private static func relations(_ rest: inout ArraySlice<UInt8>) -> [String] {
        var found: [String]?
        var hasAnchor = false
        while let byte = rest.first, byte != UInt8(ascii: ",") {
            rest = rest.dropFirst()
            guard byte == UInt8(ascii: ";") else { continue }
            let name = token(&rest)
            skipSpaces(&rest)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst()
            skipSpaces(&rest)
            let value = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : token(&rest)
            // A link with an anchor is about another resource than the response's.
            if name == "anchor" { hasAnchor = true }
            if name == "rel", found == nil {
                found = value.split { $0 == " " || $0 == "\t" }.map(String.init)
            }
        }
        rest = rest.dropFirst()
        return hasAnchor ? [] : found ?? []
    }

    private static func skipSpaces(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    /// In lower case.
    private static func token(_ rest: inout ArraySlice<UInt8>) -> String {
        skipSpaces(&rest)
        let token = rest.prefix { !" \t;,=\"".utf8.contains($0) }
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self).lowercased()
    }

    /// In lower case, without escapes. A quote that is not closed ends with the field.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.first {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let next = rest.first {
                text.append(next)
                rest = rest.dropFirst()
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self).lowercased()
    }
}
