// FuzzTarget+Comparisons: our answer beside another program's.

import Foundation
import TsubameCore
import TsubameWire

extension FuzzTarget {
    private enum Opinions {
        static let form = SecondOpinion("form")
        static let reference = SecondOpinion("reference")
        static let gzip = SecondOpinion("gzip")
        static let hpack = SecondOpinion("hpack")
    }

    private static func comparison(
        _ name: String, upTo maximumBytes: Int, needs: String, _ opinion: @escaping @Sendable () -> SecondOpinion?,
        _ check: @escaping @Sendable ([UInt8], SecondOpinion) throws -> Void
    ) -> FuzzTarget {
        FuzzTarget(name, upTo: maximumBytes, needs: needs, isAvailable: { opinion() != nil }) { bytes in
            guard let opinion = opinion() else { throw Finding("\(needs) cannot be had") }
            try check(bytes, opinion)
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// A reference of characters that RFC 3986 and the WHATWG standard treat alike. They differ by design in a
    /// backslash, a scheme and an empty segment, and Python drops an empty query, an empty fragment and
    /// empty parameters after a semicolon.
    private static func reference(_ bytes: [UInt8]) -> String {
        let characters = Array("abc.../?#=&~-_@,+0".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            let character = characters[Int(byte) % characters.count]
            if character == 0x2F, text.last == 0x2F { continue }
            if character == 0x23, text.contains(0x23) { continue }
            text.append(character)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hasEmptyQueryOrFragment(_ text: String) -> Bool {
        text.hasSuffix("?") || text.hasSuffix("#") || text.contains("?#")
    }

    static let comparisons = [
        // Python's urllib.parse decodes the pieces, and writes the parameters that were read.
        comparison("form-python", upTo: 512, needs: "python3", { Opinions.form }) { bytes, opinion in
            let parameters = Parameters.decoding(bytes)
            let ours = parameters.map { "\(hex($0.name.utf8))=\(hex($0.value.utf8))\n" }.joined() + parameters.encoded()
            try requireEqual(
                ours, String(decoding: try opinion.answer(bytes), as: UTF8.self), "Python reads another form")
        },
        comparison("reference-python", upTo: 64, needs: "python3", { Opinions.reference }) { bytes, opinion in
            let reference = reference(bytes)
            guard !hasEmptyQueryOrFragment(reference) else { return }
            let base = "http://example.test/a/b/c;d?e=f"
            guard case .uri(let uri) = try TargetURI(parsing: base).resolving(reference) else { return }
            try requireEqual(
                uri.string, String(decoding: try opinion.answer(Array("\(base)\n\(reference)".utf8)), as: UTF8.self),
                "Python resolves \(reference.debugDescription) to another URL")
        },
        comparison("gzip-python", upTo: 1_024, needs: "python3", { Opinions.gzip }) { bytes, opinion in
            let ours = try DecodedInput(InflateDecoder(.gzip), [bytes], room: 65_536)
            let theirs = try opinion.answer(bytes)
            let verdict = ours.isCutOff ? "much" : ours.failure == nil ? "whole" : "wrong"
            try requireEqual(
                verdict, theirs.first.map { $0 == 0 ? "whole" : $0 == 1 ? "wrong" : "much" } ?? "",
                "zlib judges the input in another way (\(ours.failure ?? "no error"))")
            if verdict == "whole" {
                try requireEqual(ours.bytes, Array(theirs.dropFirst()), "zlib decodes another content")
            }
        },
        comparison("hpack-python", upTo: 1_024, needs: "PyPI's hpack", { Opinions.hpack }) { bytes, opinion in
            var decoder = HPACKDecoder()
            var ours = ""
            for block in blocks(bytes) where !block.isEmpty {
                var fields = DecodedFields(maxBytes: 1 << 20, maxFields: 10_000)
                let isRead = block.withExactCopy { memory in (try? decoder.decode(memory, into: &fields)) != nil }
                guard isRead else {
                    ours += "error"
                    break
                }
                for slot in fields.slots {
                    func text(_ start: UInt32, _ length: UInt32) -> String {
                        hex(fields.bytes[Int(start)..<Int(start + length)])
                    }
                    ours += text(slot.nameStart, slot.nameLength) + "=" + text(slot.valueStart, slot.valueLength) + "\n"
                }
            }
            try requireEqual(
                ours, String(decoding: try opinion.answer(bytes), as: UTF8.self), "hpack reads other fields")
        },
    ]
}
