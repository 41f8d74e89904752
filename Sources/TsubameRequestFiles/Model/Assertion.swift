// Assertion: a check of a response, and the capture of a value.

/// A value of a response: a query, and the filters that change its result.
package struct ValuePath: Sendable {
    package let query: Query
    package let filters: [ValueFilter]
    package let place: FilePlace
}

package struct Capture: Sendable {
    package let name: TemplateText
    package let path: ValuePath
    /// Whether reports hide the value.
    package let isRedacted: Bool
    /// The query with its filters, as it is written.
    package let text: String
}

package struct Assertion: Sendable {
    package let path: ValuePath
    package let isNegated: Bool
    package let predicate: Predicate
    /// The text of the line, for reports.
    package let text: String
}

/// The part of a response that is looked at.
package enum Query: Sendable {
    case status, version, url, ip, body, bytes, rawBytes, duration, sha256, md5, redirects
    case header(TemplateText)
    case cookie(TemplateText)
    case xpath(TemplateText)
    case jsonPath(TemplateText)
    case regex(PatternText)
    case variable(TemplateText)
    case certificate(TemplateText)
}

/// A regular expression: fixed, or a text with expressions.
package enum PatternText: Sendable {
    case fixed(Pattern, source: String)
    case template(TemplateText)

    package var source: String {
        switch self {
        case .fixed(_, let source): source
        case .template(let template): template.source
        }
    }
}

/// The value that a predicate compares with.
package enum ExpectedValue: Sendable {
    case text(TemplateText)
    /// A query of GraphQL, which means the JSON that carries it.
    case graphQL(TemplateText)
    case integer(Int128)
    case number(Double)
    case bool(Bool)
    case null
    case bytes([UInt8])
    case file(TemplateText)
    /// An expression whose value keeps its kind.
    case expression(String, FilePlace)
    case pattern(PatternText)
}

package enum Predicate: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case isBoolean, isCollection, isDate, isEmpty, isFloat, isInteger, isIpv4, isIpv6, isIsoDate, isList, isNumber,
            isObject,
            isString, isUuid, exists
    }

    package enum Comparison: String, Sendable, CaseIterable {
        case equal = "==", notEqual = "!=", notLess = ">=", notGreater = "<=", greater = ">", less = "<"
        case startsWith, endsWith, contains, includes
    }

    case kind(Kind)
    case comparison(Comparison, ExpectedValue)
    case matches(PatternText)
}

/// A change of a value before it is checked or captured.
package enum ValueFilter: Sendable {
    /// A filter without arguments.
    package enum Plain: String, Sendable, CaseIterable {
        case base64Decode, base64Encode, base64UrlSafeDecode, base64UrlSafeEncode, count, daysAfterNow, daysBeforeNow,
            first,
            htmlEscape, htmlUnescape, last, location, toDate, toFloat, toHex, toInt, toString, urlDecode, urlEncode,
            utf8Decode, utf8Encode
    }

    case plain(Plain)
    case decode(TemplateText)
    case dateFormat(TemplateText)
    case jsonPath(TemplateText)
    /// An integer, or an expression.
    case nth(ExpectedValue)
    case regex(PatternText)
    case replace(TemplateText, TemplateText)
    case replaceRegex(PatternText, TemplateText)
    case split(TemplateText)
    case toDate(TemplateText)
    case urlQueryParameter(TemplateText)
    case xpath(TemplateText)
}
