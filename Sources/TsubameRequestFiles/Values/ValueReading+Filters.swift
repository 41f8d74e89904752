// ValueReading+Filters: changes values by filters.

import TsubameCore
import TsubameWire

extension ValueReading {
    func apply(_ filter: ValueFilter, to given: FileValue) throws(ValueProblem) -> FileValue? {
        // Only a text keeps the spelling of a number.
        let value = if case .plain(.toString) = filter { given } else { given.plain }
        switch (filter, value) {
        case (.plain(let plain), _): return try Self.apply(plain, to: value)
        case (.jsonPath(let path), .text(let text)): return try jsonPath(variables.text(of: path), in: json(text))
        case (.jsonPath(let path), .list), (.jsonPath(let path), .object):
            return try jsonPath(variables.text(of: path), in: value.json)
        case (.nth(let index), .list(let values)):
            let index = try number(index)
            let place = index < 0 ? values.count + index : index
            guard values.indices.contains(place) else { throw ValueProblem("the list has only \(values.count) values") }
            return values[place]
        case (.regex(let pattern), .text(let text)): return try Self.group(variables.pattern(of: pattern), in: text)
        case (.replace(let old, let new), .text(let text)):
            let old = try variables.text(of: old)
            if old.isEmpty { throw ValueProblem("replace needs a text that is not empty") }
            return .text(UTF8Text.replacing(old, in: text, by: try variables.text(of: new)))
        case (.replaceRegex(let pattern, let new), .text(let text)):
            let pattern = try variables.pattern(of: pattern)
            guard let result = pattern.replacing(in: text, by: try variables.text(of: new)) else {
                throw ValueProblem("the text is too long for this pattern: its matches read it again and again")
            }
            return .text(result)
        case (.split(let separator), .text(let text)):
            let separator = try variables.text(of: separator)
            if separator.isEmpty { throw ValueProblem("split needs a text that is not empty") }
            return .list(UTF8Text.split(text, by: separator).map { .text($0) })
        case (.urlQueryParameter(let name), .text(let text)):
            let name = try variables.text(of: name)
            let query = text.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            for pair in query.split(separator: "&") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard PercentEncoding.decodeLeniently(String(parts[0]), plusAsSpace: true) == name else { continue }
                return .text(
                    parts.count > 1 ? PercentEncoding.decodeLeniently(String(parts[1]), plusAsSpace: true) : "")
            }
            return nil
        case (.xpath(let path), .text(let text)):
            return try Self.xpath(variables.text(of: path), in: text, isHTML: message.isHTML)
        case (.dateFormat(let format), .date(let date)):
            let format = try variables.text(of: format)
            guard let text = date.formatted(format) else { throw ValueProblem("“\(format)” is no format of a date") }
            return .text(text)
        case (.toDate(let format), .text(let text)):
            let format = try variables.text(of: format)
            guard let date = FileDate(text, format: format) else {
                throw ValueProblem("“\(text.prefix(60))” has not the format \(format)")
            }
            return .date(date)
        case (.decode(let label), .bytes(let bytes)):
            let label = try variables.text(of: label)
            guard let charset = Charset(label: label) else { throw ValueProblem("there is no charset \(label)") }
            let decoded = charset.decode(bytes)
            guard decoded.malformedOffset == nil else { throw ValueProblem("the bytes are no \(charset.rawValue)") }
            return .text(decoded.text)
        default: throw ValueProblem("this filter does not take a value of the kind \(value.kind)")
        }
    }

    private static func apply(_ filter: ValueFilter.Plain, to value: FileValue) throws(ValueProblem) -> FileValue? {
        switch (filter, value) {
        case (.count, .list(let values)): return .integer(Int128(values.count))
        case (.count, .object(let members)): return .integer(Int128(members.count))
        case (.count, .bytes(let bytes)): return .integer(Int128(bytes.count))
        case (.first, .list(let values)): return values.first
        case (.last, .list(let values)): return values.last
        case (.location, .object(let members)): return members.first { $0.name == "location" }?.value
        case (.toString, _): return .text(value.text)
        case (.toInt, .integer), (.toFloat, .number): return value
        case (.toInt, .number(let number)):
            guard let integer = Int128(exactly: number.rounded(.towardZero)) else {
                throw ValueProblem("the number is too large")
            }
            return .integer(integer)
        case (.toInt, .text(let text)):
            guard let integer = Int128(text) else { throw ValueProblem("“\(text.prefix(40))” is no whole number") }
            return .integer(integer)
        case (.toFloat, .integer(let integer)): return .number(Double(integer))
        case (.toFloat, .text(let text)):
            guard let number = Double(text), number.isFinite else {
                throw ValueProblem("“\(text.prefix(40))” is no number")
            }
            return .number(number)
        case (.toHex, .bytes(let bytes)): return .text(Hexadecimal.text(bytes))
        case (.base64Encode, .bytes(let bytes)): return .text(EncodedBytes.base64Text(bytes))
        case (.base64UrlSafeEncode, .bytes(let bytes)):
            let text = EncodedBytes.base64Text(bytes).replacing("+", with: "-").replacing("/", with: "_")
            return .text(text.replacing("=", with: ""))
        case (.base64Decode, .text(let text)):
            guard let bytes = EncodedBytes.base64(text) else { throw ValueProblem("the text is no base64") }
            return .bytes(bytes)
        case (.base64UrlSafeDecode, .text(let text)):
            let usual = text.replacing("-", with: "+").replacing("_", with: "/")
            guard let bytes = EncodedBytes.base64(usual) else { throw ValueProblem("the text is no base64") }
            return .bytes(bytes)
        case (.utf8Encode, .text(let text)): return .bytes(Array(text.utf8))
        case (.utf8Decode, .bytes(let bytes)):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw ValueProblem("the bytes are no UTF-8")
            }
            return .text(text)
        case (.urlEncode, .text(let text)):
            return .text(PercentEncoding.encode(Array(text.utf8), allowing: ASCIISet("/")))
        case (.urlDecode, .text(let text)): return .text(PercentEncoding.decodeLeniently(text))
        case (.htmlEscape, .text(let text)):
            let pairs = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#x27;")]
            return .text(pairs.reduce(text) { $0.replacing($1.0, with: $1.1) })
        case (.htmlUnescape, .text(let text)): return .text(HTMLReferences.replaced(in: text))
        case (.toDate, .text(let text)):
            guard let date = FileDate(rfc3339: text) else {
                throw ValueProblem("“\(text.prefix(60))” is no date such as 2026-01-30T10:00:00Z")
            }
            return .date(date)
        case (.daysAfterNow, .date(let date)): return .integer(Int128((date.seconds - FileDate.now().seconds) / 86_400))
        case (.daysBeforeNow, .date(let date)):
            return .integer(Int128((FileDate.now().seconds - date.seconds) / 86_400))
        default: throw ValueProblem("\(filter.rawValue) does not take a value of the kind \(value.kind)")
        }
    }

    /// The whole number of an argument.
    private func number(_ argument: ExpectedValue) throws(ValueProblem) -> Int {
        switch try value(of: argument) {
        case .integer(let number): return Int(clamping: number)
        case .text(let text):
            guard let number = Int(text) else { throw ValueProblem("nth needs a whole number, and not “\(text)”") }
            return number
        case let other: throw ValueProblem("nth needs a whole number, and not a value of the kind \(other.kind)")
        }
    }
}
