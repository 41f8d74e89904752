// AWSSignatureTests: the published examples of signature version 4.

import Testing

@testable import TsubameRequestFiles

@Suite struct AWSSignatureTests {
    private static let user = "AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    /// 2015-08-30 12:36:00 UTC.
    private static let date = FileDate(seconds: 1_440_938_160)

    private func fields(
        _ method: String, _ path: String, _ query: String, host: String = "example.amazonaws.com",
        scope: String = "aws:amz:us-east-1:service", type: String? = nil, token: String? = nil, body: String = ""
    ) throws -> [String: String] {
        let signature = try AWSSignature(scope: scope, user: Self.user, token: token, host: host)
        let message = AWSSignature.Message(
            method: method, path: path, query: query, host: host, contentType: type, body: Array(body.utf8))
        return Dictionary(uniqueKeysWithValues: signature.fields(for: message, at: Self.date))
    }

    @Test(
        arguments: [
            ("GET", "/", "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            ("POST", "/", "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                "GET", "/", "Param2=value2&Param1=value1",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
        ])
    func `the examples of AWS's test suite`(method: String, path: String, query: String, signature: String) throws {
        let found = try fields(method, path, query)
        #expect(
            found["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=\(signature)")
        #expect(found["X-Amz-Date"] == "20150830T123600Z" && found.count == 2)
    }

    /// The values are botocore's.
    @Test(
        arguments: [
            ("/", "x=%FF", "9d1b502f6cd33f756cd6b40e243aca3c131989f458e370fee4e5960fd48d9b93"),
            ("/stage//x", "", "bd05facdbb69d15618744bb5783a40f3010c4bb23739ac929c0cd3e58ba025d7"),
            ("/stage/x/", "", "c14448ff21c1bd4e40bcab216fbcd47670f59c5e0482b740a57dee11ab7563f7"),
        ])
    func `a byte that is no text stays, and slashes are one`(path: String, query: String, signature: String) throws {
        let found = try fields("GET", path, query)
        #expect(found["Authorization"]?.hasSuffix("Signature=\(signature)") == true)
    }

    @Test func `the example of the document about IAM`() throws {
        let found = try fields(
            "GET", "/", "Action=ListUsers&Version=2010-05-08", host: "iam.amazonaws.com", scope: "aws:amz",
            type: "application/x-www-form-urlencoded; charset=utf-8")
        #expect(
            found["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date, "
                + "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")
    }

    @Test(
        arguments: [
            ("sqs.eu-west-1.amazonaws.com", "eu-west-1/sqs"), ("b.s3.eu-west-1.amazonaws.com", "eu-west-1/s3"),
            ("b.s3.amazonaws.com", "us-east-1/s3"), ("b.s3.dualstack.eu-west-1.amazonaws.com", "eu-west-1/s3"),
            ("x.execute-api.us-west-2.amazonaws.com:443", "us-west-2/execute-api"),
            ("sts.cn-north-1.amazonaws.com.cn", "cn-north-1/sts"),
        ])
    func `the host shows region and service`(host: String, scope: String) throws {
        let found = try fields("GET", "/", "", host: host, scope: "aws:amz", token: "t")
        #expect(found["Authorization"]?.contains("/20150830/\(scope)/aws4_request") == true)
        #expect(found["X-Amz-Security-Token"] == "t")
        #expect((found["X-Amz-Content-Sha256"] != nil) == scope.hasSuffix("/s3"))
    }

    @Test(arguments: [
        ("aws:amz", "shows no region"), ("aws:amz:r", "shows no region"), ("gcp:x", "is written aws:amz"),
    ])
    func `a scope that says too little is a problem`(scope: String, reason: String) {
        let problem = #expect(throws: ValueProblem.self) { try fields("GET", "/", "", host: "h", scope: scope) }
        #expect(problem?.reason.contains(reason) == true)
        #expect(throws: ValueProblem.self) {
            try AWSSignature(scope: "aws:amz:r:s", user: "no-secret", token: nil, host: "h")
        }
    }
}
