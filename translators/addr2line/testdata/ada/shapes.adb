package body Shapes is
   function Area (S : Shape) return Integer is
      function Square (N : Integer) return Integer is
      begin
         return N * N + S.Side;
      end Square;
   begin
      return Square (S.Side) mod 1_000_003;
   end Area;
   procedure Grow (S : in out Shape; By : Integer) is
   begin
      for I in 1 .. By loop
         S.Side := (S.Side * 31 + I) mod 10_007;
      end loop;
   end Grow;
   package body Inner is
      function Twice (N : Integer) return Integer is
      begin
         return N * 2;
      end Twice;
   end Inner;
   function "+" (A, B : Shape) return Shape is
   begin
      return (Side => A.Side mod 1000 + B.Side mod 1000);
   end "+";
end Shapes;
