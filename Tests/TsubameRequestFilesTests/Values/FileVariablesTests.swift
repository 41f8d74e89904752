// FileVariablesTests: expressions: given, defined, generated, and parts of earlier responses.

import Testing

@testable import TsubameRequestFiles

@Suite struct FileVariablesTests {
    private func variables() -> FileVariables {
        let generated = GeneratedValues(
            now: { FileDate(seconds: 1_700_000_000, nanoseconds: 5_000) }, environment: { ["HOME": "/h"][$0] },
            dotenv: ["KEY": "k"])
        var variables = FileVariables(["a": .text("1"), "key": .text("HOME")], generated: generated)
        variables.define("b", TemplateText(parsing: "{{a}}{{a}}"))
        variables.define("loop", TemplateText(parsing: "{{loop}}"))
        variables.define("a", TemplateText("never"))
        let request = ReceivedMessage(
            status: 0, version: "HTTP/1.1", url: "", fields: [("X", "y")], body: Array("{\"n\": 1}".utf8))
        let response = ReceivedMessage(
            status: 201, version: "HTTP/1.1", url: "", fields: [("Location", "/x")],
            body: Array("{\"token\": \"t\", \"list\": [{\"id\": 3}]}".utf8))
        variables.keep(FileVariables.Answer(request: request, response: response), of: "login")
        return variables
    }

    @Test(
        arguments: [
            ("{{a}}", "1"), ("x{{b}}y", "x11y"), ("{{$timestamp}}", "1700000000"),
            ("{{$timestamp -1 d}}", "1699913600"),
            ("{{$datetime iso8601}}", "2023-11-14T22:13:20.000Z"),
            ("{{$datetime rfc1123}}", "Tue, 14 Nov 2023 22:13:20 GMT"),
            ("{{$datetime 'DD.MM.YYYY HH:mm' 1 h}}", "14.11.2023 23:13"),
            ("{{$isoTimestamp}}", "2023-11-14T22:13:20.000Z"),
            ("{{$datetime 'YYYY-MM-DD' 3 M}}", "2024-02-14"), ("{{$datetime \"D.M.YY\" -1 Q}}", "14.8.23"),
            ("{{$datetime 'YYYY' 1 y}}", "2024"), ("{{$datetime iso8601 -1 ms}}", "2023-11-14T22:13:19.999Z"),
            ("{{$datetime '[at] H:m:s.SSS a Z' 2 w}}", "at 22:13:20.000 pm +00:00"),
            ("{{$datetime 'X x %% d'}}", "1700000000 1700000000000 %% 2"),
            ("{{$randomInt 5 6}}", "5"), ("{{$random.integer(7, 8)}}", "7"), ("{{$processEnv HOME}}", "/h"),
            ("{{$processEnv %key}}", "/h"), ("a{{$processEnv NOPE}}b", "ab"), ("{{$dotenv KEY}}", "k"),
            ("{{$env.HOME}}", "/h"),
            ("{{login.response.body.$.token}}", "t"), ("{{login.response.body.token}}", "t"),
            ("{{login.response.body.$.list[0].id}}", "3"), ("{{login.response.headers.location}}", "/x"),
            ("{{login.request.body.$.n}}", "1"), ("{{login.request.headers.X}}", "y"),
            ("{{login.response.status}}", "201"),
            ("{{newDate}}", "2023-11-14T22:13:20.000005Z"), ("{{", "{{"), ("{{}}", "{{}}"), ("a {{ b }} c", "a 11 c"),
        ])
    func `the value of a text`(text: String, value: String) throws {
        #expect(try variables().text(of: TemplateText(parsing: text)) == value)
    }

    @Test(
        arguments: [
            (1_706_659_200, 1, "2024-02-29"), (1_706_659_200, -2, "2023-11-30"), (1_706_659_200, 13, "2025-02-28"),
            (1_706_659_200, 12, "2025-01-31"), (-86_400, -12, "1968-12-31"),
        ])
    func `months keep the day if they have it`(seconds: Int64, months: Int64, day: String) {
        #expect(FileDate(seconds: seconds).adding(months: months)?.formatted("%Y-%m-%d") == day)
    }

    @Test func `local time has the zone of the machine`() throws {
        let date = FileDate(seconds: 1_700_000_000)
        let zone = try #require(date.formatted("%z", isLocal: true))
        let (rfc, iso) = (
            try variables().text(of: TemplateText(parsing: "{{$localDatetime rfc1123}}")),
            try variables().text(of: TemplateText(parsing: "{{$localDatetime iso8601}}"))
        )
        #expect(rfc.hasSuffix(" \(zone)") && iso.hasSuffix("\(zone.prefix(3)):\(zone.suffix(2))"))
        #expect(FileDate(rfc3339: iso)?.seconds == 1_700_000_000)
    }

    @Test(arguments: [("$random.float(2, 3)", 2.0...3.0), ("$random.float", 0...1_000), ("$random.float -1 0", -1...0)])
    func `fractions are within their range`(expression: String, range: ClosedRange<Double>) throws {
        guard case .number(let number) = try variables().value(of: expression) else {
            Issue.record("\(expression) gave no number")
            return
        }
        #expect(range.contains(number))
    }

    @Test(arguments: [("$guid", 36), ("newUuid", 36), ("$random.alphabetic(9)", 9), ("$random.hexadecimal 4", 4)])
    func `generated texts have their length and differ`(name: String, length: Int) throws {
        let texts = try (0..<20).map { _ in try variables().value(of: name).text }
        #expect(texts.allSatisfy { $0.count == length } && Set(texts).count > 1)
    }

    @Test(
        arguments: [
            ("no", "there is no variable no"), ("loop", "uses itself"),
            ("other.response.body.$.x", "no entry before this one"),
            ("login.response.body.$.nope", "no value in that body"), ("login.response.headers.nope", "no field nope"),
            ("login.nope", "neither request nor response"), ("$nope", "no generated value"),
            ("$randomInt 3", "two numbers"), ("$random.float(3, 2)", "two numbers"),
            ("$random.float nan 1", "two numbers"),
            ("$timestamp 1 x", "a number and a unit"), ("$timestamp 999999999 y", "out of range"),
            ("$env.NOPE", "no variable NOPE"), ("$timestamp 3", "a number and a unit"),
            ("$datetime", "needs a format"),
            ("$random.alphabetic(99999999)", "a length from"),
        ])
    func `an expression without a value says why`(expression: String, reason: String) {
        let problem = #expect(throws: ValueProblem.self) { try variables().value(of: expression) }
        #expect(problem?.reason.contains(reason) == true, "\(problem?.reason ?? "")")
    }

    @Test func `variables of the file come before the environment, and captures before both`() throws {
        var variables = FileVariables(["given": .integer(1)])
        variables.setDefault("name", .text("environment"))
        variables.setDefault("other", .text("{{name}}!"))
        variables.setDefault("user", .object([("id", .integer(7))]))
        #expect(try variables.value(of: "name").text == "environment")
        variables.define("name", TemplateText("file"))
        variables.define("given", TemplateText("file"))
        #expect(
            try variables.text(of: TemplateText(parsing: "{{name}} {{other}} {{given}} {{user.id}}"))
                == "file file! 1 7")
        variables.set("name", .text("captured a&b"))
        #expect(try variables.text(of: TemplateText(parsing: "{{name}} {{%name}}")) == "captured a&b captured%20a%26b")
    }

    /// Each definition uses the one before it twice.
    @Test func `definitions that multiply are ended`() {
        var variables = FileVariables()
        variables.define("a0", TemplateText(""))
        for index in 1...31 {
            variables.define("a\(index)", TemplateText(parsing: "{{a\(index - 1)}}{{a\(index - 1)}}"))
        }
        #expect(throws: ValueProblem.self) { try variables.value(of: "a31") }
        #expect(throws: Never.self) { try variables.value(of: "a9") }
    }

    @Test func `numbers at the limits do not trap`() {
        for expression in [
            "$timestamp -9223372036854775808 d", "$timestamp 1000000000 y",
            "$randomInt -9223372036854775808 9223372036854775807",
        ] {
            _ = try? variables().value(of: expression)
        }
    }

    @Test func `a secret is hidden in its other forms, too`() {
        var variables = FileVariables()
        variables.set("token", .text("a b/\"c"), isSecret: true)
        #expect(variables.redacted("x a%20b%2F%22c a+b%2F%22c a b/\\\"c") == "x *** *** ***")
    }

    @Test(arguments: [
        (
            #"A&b/c+D=="#,
            [
                #"A&b\/c+D=="#, "A%26b%2Fc%2BD%3D%3D", "A%26b%2fc%2bD%3d%3d", #"A\u0026b/c+D=="#, #"A\u0026b\/c+D=="#,
                #"A\u0026b/c\u002BD=="#,
            ]
        )
    ])
    func `a secret is hidden as servers write it`(secret: String, forms: [String]) {
        var variables = FileVariables()
        variables.set("token", .text(secret), isSecret: true)
        for form in forms { #expect(variables.redacted("x \(form)y") == "x ***y", "\(form)") }
    }

    @Test func `a name with many percent signs is no variable`() {
        #expect(throws: ValueProblem.self) { try variables().value(of: String(repeating: "%", count: 50_000) + "a") }
    }

    @Test func `a secret does not appear in reports`() {
        var variables = FileVariables()
        variables.set("token", .text("abc123"), isSecret: true)
        variables.set("longer", .text("abc123456"), isSecret: true)
        #expect(variables.redacted("x abc123456 abc123") == "x *** ***")
        // A combining character makes another character of the last one, but the bytes are still there.
        #expect(!variables.redacted("x abc123\u{301} y").contains("abc123"))
    }

    @Test(
        arguments: [
            ("1", .integer(1)), ("-5", .integer(-5)), ("1.5", .number(1.5)), ("true", .bool(true)), ("null", .null),
            ("007", .text("007")), ("\"1\"", .text("1")), ("abc", .text("abc")), ("", .text("")), ("1e5", .text("1e5")),
            ("inf", .text("inf")), ("01.02", .text("01.02")), ("1.", .text("1.")), ("0x1.8", .text("0x1.8")),
            ("0.10", .decimal("0.10")), ("1.5e3", .text("1.5e3")), ("1.10", .decimal("1.10")),
            ("12.50", .decimal("12.50")), ("-0.5", .number(-0.5)),
            ("12345678901234567891", .integer(12_345_678_901_234_567_891)),
            ("9007199254740993.0", .decimal("9007199254740993.0")),
        ] as [(String, FileValue)])
    func `the kind of a given value`(text: String, value: FileValue) {
        #expect(FileValue(typed: text) == value)
    }

    @Test(
        arguments: [
            ("a,b\n1,2\n", ["a=1 b=2"]),
            ("a,b\r\n\"x, \"\"y\"\"\",\"l\nm\"\r\n\r\n3,\n", ["a=x, \"y\" b=l\nm", "a=3 b="]),
            ("\u{FEFF}a\n1", ["a=1"]), ("", []), ("a\n\"\"\n", ["a="]),
        ])
    func `rows of a table`(text: String, rows: [String]) throws {
        let table = try CSVTable(text)
        #expect(table.rows.map { row in row.map { "\($0.name)=\($0.value)" }.joined(separator: " ") } == rows)
    }

    @Test(arguments: [("a,b\n1\n", 2, "1 fields"), ("a\n\"x\n", 2, "does not end")])
    func `a wrong row is named`(text: String, line: Int, reason: String) {
        let problem = #expect(throws: CSVTable.Problem.self) { try CSVTable(text) }
        #expect(problem?.line == line && problem?.reason.contains(reason) == true)
    }

    @Test(
        arguments: [
            ("30/01/26 10:00:00 +0100", "%d/%m/%y %H:%M:%S %z", "2026-01-30T09:00:00.000000Z"),
            ("Friday, January 30 2026", "%A, %B %d %Y", "2026-01-30T00:00:00.000000Z"),
            ("2026-01-30 10:00:00.25", "%F %T%.f", "2026-01-30T10:00:00.250000Z"),
            ("31/02/2026", "%d/%m/%Y", nil), ("2026", "%Y-%m", nil), ("2026x", "%Y", nil), ("", "%Y", nil),
            ("a", "%Q", nil),
        ] as [(String, String, String?)])
    func `dates are read by a format`(text: String, format: String, date: String?) {
        #expect(FileDate(text, format: format)?.text == date)
    }
}
