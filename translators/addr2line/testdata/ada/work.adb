with Ada.Text_IO; use Ada.Text_IO;
with Ada.Command_Line;
with Shapes; use Shapes;
procedure Work is
   S : Shape;
begin
   Grow (S, 1000 + Ada.Command_Line.Argument_Count);
   S := S + S;
   Put_Line (Integer'Image (Area (S)) & Integer'Image (Inner.Twice (S.Side)));
end Work;
