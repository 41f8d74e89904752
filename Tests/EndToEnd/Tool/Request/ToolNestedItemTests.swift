// ToolNestedItemTests: the tool's items as nested JSON, and the errors in them.
#if Server
import Foundation
import Testing
import TsubameTesting

@Suite(.timeLimit(.minutes(2)))
struct ToolNestedItemTests {
    /// The body that these items make, without a network.
    private func body(_ items: [String]) async throws -> ProductRun {
        try await ToolProcess(["--offline", "--print=B", "POST", ":1"] + items).finished()
    }

    // The result of HTTPie 3.2.4 for the same items.
    @Test(arguments: [
        (["a[b][0]=x", "a[b][1]=y", "a[c]:=true"], #"{"a": {"b": ["x", "y"], "c": true}}"#),
        (["z[y]=1", "b=2", "z[a]=3", "z[y]=4"], #"{"z": {"y": "4", "a": "3"}, "b": "2"}"#),
        (["a[]=1", "a[]:=2", "a[][x]=3", "a[][x]=4"], #"{"a": ["1", 2, {"x": "3"}, {"x": "4"}]}"#),
        (["[]=x", "[]:=[1, 2]"], #"["x", [1, 2]]"#), (["[0][b]=x", "[2]=y"], #"[{"b": "x"}, null, "y"]"#),
        (["[][]=1", "[0][]=2"], #"[["1", "2"]]"#), (["a[2]=x", "a[0][b]=y"], #"{"a": [{"b": "y"}, null, "x"]}"#),
        ([#"a\[b\]=1"#, #"\[0\]=2"#], #"{"a[b]": "1", "[0]": "2"}"#), ([#"a\\[b]=1"#], #"{"a\\": {"b": "1"}}"#),
        ([#"a[\1]=1"#, #"a[b\]\[]=2"#, "5=6"], #"{"a": {"1": "1", "b][": "2"}, "5": "6"}"#),
        ([#"a[x\:y]=1"#, "a[ü 燕]=2"], #"{"a": {"x:y": "1", "ü 燕": "2"}}"#), ([#"a\b=1"#], #"{"a\\b": "1"}"#),
        (["a[\"\n]=1"], #"{"a": {"\"\n": "1"}}"#), (["a=1", "a=2"], #"{"a": "2"}"#),
        (["a:=[1,  [2]]", "a[1][]=3", "a[0]=0"], #"{"a": ["0", [2, "3"]]}"#),
        (["a[0]:=null", "a[0][b]=1"], #"{"a": [{"b": "1"}]}"#),
    ])
    func namesLeadIntoTheBody(items: [String], json: String) async throws {
        let run = try await body(items)
        #expect(run.status == 0 && run.stdout == json, "\(run)")
    }

    /// Cases in which HTTPie loses a member, reads a name as a number, or fails.
    @Test(arguments: [
        ([#"a:={"x": 1.0, "\u0079" : [ ] }"#, "a[z]=2", "a[y][]=3"], #"{"a": {"x": 1.0, "y": ["3"], "z": "2"}}"#),
        (["007=x", "a[+1]=2", "a[1_0]=3"], #"{"007": "x", "a": {"+1": "2", "1_0": "3"}}"#),
        (["a:=null", "a[b]=1"], #"{"a": {"b": "1"}}"#), (["a:= [1] ", "a[]:= 2\t"], #"{"a": [1, 2]}"#),
    ])
    func whatHTTPieLosesIsKept(items: [String], json: String) async throws {
        let run = try await body(items)
        #expect(run.status == 0 && run.stdout == json, "\(run)")
    }

    @Test func membersOfFilesAreLedInto() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "j")
            try Data("{\"b\": {\"c\": 1}}\n".utf8).write(to: file)
            let run = try await body(["a:=@\(file.path)", "a[b][d]=@\(file.path)"])
            #expect(run.stdout == #"{"a": {"b": {"c": 1, "d": "{\"b\": {\"c\": 1}}\n"}}}"#)
        }
    }

    @Test(arguments: [
        (["a[b=1"], "“]” is missing", "a[b=1", "   ^"), (["a]=1"], "there is no “[”", "a]=1", " ^"),
        (["[a]=1"], "a number or “]”", "[a]=1", " ^"), (["a[b]c=1"], "“[” or the end", "a[b]c=1", "    ^"),
        (["a[[b]=1"], "a name, a number or “]”", "a[[b]=1", "  ^"), (["a[-1]=1"], "from 0", "a[-1]=1", "  ^^"),
        ([#"a[b\]=1"#], "“]” is missing", #"a[b\]=1"#, "     ^"),
        ([#"燕\:[x=1"#], "“]” is missing", #"燕\:[x=1"#, "      ^"),
        (["a=1", "a[c][d]=2"], "“a” is a string", "a[c][d]=2", " ^^^"),
        (["a[b]=1", "a[]=2"], "“a” is an object: only an array can be appended to", "a[]=2", " ^^"),
        (["a[0]=1", "a[b]=2"], "“a” is an array: only an object has members", "a[b]=2", " ^^^"),
        (["a[b]:=1", "a[b][0]=2"], "“a[b]” is a number: only an array", "a[b][0]=2", "    ^^^"),
        (["[]=1", "b=2"], "the body is an array", "b=2", "^"),
        (["a=1", "[]=2"], "the body is an object", "[]=2", "^^"),
        (["a[999999999]=1"], "more than 1000000 elements", "a[999999999]=1", " ^^^^^^^^^^^"),
        (["a[99999999999999999999]=1"], "more than 1000000 elements", "a[99999999999999999999]=1", " ^^^^"),
        (["a[600000]=1", "b[600000]=1"], "more than 1000000 elements", "b[600000]=1", " ^^^^^^^^"),
        (["a:={\"b\": nope}"], "see byte 8", "a:={\"b\": nope}", "          ^"),
        (["a:=[1"], "ends too early", "a:=[1", "     ^"), (["a:=\t\n x"], "see byte 4", "a:=␉␊ x", "      ^"),
    ])
    func whatIsWrongIsPointedAt(items: [String], text: String, shown: String, marks: String) async throws {
        let run = try await body(items)
        #expect(run.status == 64 && run.stdout.isEmpty)
        #expect(run.stderr.contains(text), "\(run)")
        #expect(run.stderr.contains("\n  \(shown)\n  \(marks)"), "\(run)")
    }

    @Test func aFaultInAFileIsToldByItsLine() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "j")
            try Data("{\n  \"a\": x\n}".utf8).write(to: file)
            let run = try await body(["a:=@\(file.path)"])
            #expect(run.status == 64 && run.stderr.contains("\(file.path) has no valid JSON: see line 2, byte 8."))
        }
    }

    @Test func tooDeepIsRefused() async throws {
        let deep = "a" + String(repeating: "[b]", count: 511)
        #expect(try await body([deep + "=1"]).status == 0)
        let run = try await body([deep + "[b]=1"])
        #expect(run.status == 64 && run.stderr.contains("more than 512 levels"))
    }

    @Test func aFormTakesNamesAsTheyAre() async throws {
        let run = try await ToolProcess(["--offline", "--print=B", "-f", ":1", "a[b]=1", "[]=2"]).finished()
        #expect(run.stdout == "a%5Bb%5D=1&%5B%5D=2")
    }
}
#endif
